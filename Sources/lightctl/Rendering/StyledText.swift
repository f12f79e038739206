/// A piece of text and how it is shown. Colours are always an addition: the words alone say everything.
struct StyledText: Equatable, Sendable {
    enum Style: Equatable, Sendable { case plain, strong, faint, warning, alarm }

    var words: String
    var style: Style
    /// Shown in this colour where the terminal can.
    var colour: RGB?

    struct RGB: Equatable, Sendable { let red, green, blue: Int }

    init(_ words: String, _ style: Style = .plain, colour: RGB? = nil) {
        (self.words, self.style, self.colour) = (words, style, colour)
    }

    func painted(_ colours: Terminal.Colours) -> String {
        let codes = codes(colours)
        return codes.isEmpty || words.isEmpty ? words : "\u{1B}[\(codes)m\(words)\u{1B}[0m"
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
        case .warning: return "33"
        case .alarm: return "31"
        }
    }
}

extension StyledText.RGB {
    /// The nearest of the 6 × 6 × 6 colours that terminals of 256 colours have from number 16 on.
    var cube: Int {
        let steps = [0, 95, 135, 175, 215, 255]
        func nearest(_ value: Int) -> Int { steps.indices.min { abs(steps[$0] - value) < abs(steps[$1] - value) } ?? 0 }
        return 16 + 36 * nearest(red) + 6 * nearest(green) + nearest(blue)
    }
}
