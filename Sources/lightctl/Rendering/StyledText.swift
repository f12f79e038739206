/// A text with a style. The text alone must carry the meaning, since styles may be turned off.
struct StyledText: Equatable, Sendable {
    enum Style: Equatable, Sendable { case plain, strong, faint, good, warning, alarm, reversed }

    var text: String
    var style: Style
    /// The colour, on terminals that have it.
    var colour: RGB?

    struct RGB: Equatable, Sendable { let red, green, blue: Int }

    init(_ text: String, _ style: Style = .plain, colour: RGB? = nil) {
        (self.text, self.style, self.colour) = (text, style, colour)
    }

    func painted(_ colours: Terminal.Colours) -> String {
        let codes = codes(colours)
        return codes.isEmpty || text.isEmpty ? text : "\u{1B}[\(codes)m\(text)\u{1B}[0m"
    }

    private func codes(_ colours: Terminal.Colours) -> String {
        if let colour {
            switch colours {
            case .full: return "38;2;\(colour.red);\(colour.green);\(colour.blue)"
            case .palette: return "38;5;\(colour.cube)"
            case .sixteen, .none: break
            }
        }
        guard colours != .none else { return "" }
        switch style {
        case .plain: return ""
        case .strong: return "1"
        case .faint: return "2"
        case .good: return "32"
        case .warning: return "33"
        case .alarm: return "31"
        case .reversed: return "7"
        }
    }
}

extension StyledText.RGB {
    /// The nearest colour of the 6 × 6 × 6 cube that starts at number 16 on terminals with 256 colours.
    var cube: Int {
        let steps = [0, 95, 135, 175, 215, 255]
        func nearest(_ value: Int) -> Int { steps.indices.min { abs(steps[$0] - value) < abs(steps[$1] - value) } ?? 0 }
        return 16 + 36 * nearest(red) + 6 * nearest(green) + nearest(blue)
    }
}
