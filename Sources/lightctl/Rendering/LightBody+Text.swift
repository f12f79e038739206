import CommandGrammar
import ControlProtocol

extension LightBody {
    /// "on", "off"; "on?" if the bridge cannot be reached, "unreachable" if the lamp cannot.
    var state: StyledText {
        switch freshness {
        case .confirmed: StyledText(power.rawValue, power == .on ? .strong : .plain)
        case .expected: StyledText(power.rawValue)
        case .stale: StyledText(power.rawValue + "?", .warning)
        case .unreachable: StyledText("unreachable", .alarm)
        }
    }

    /// The white tone or colour in a form that lightctl accepts: "2703K", "#ff8800"; `nil` for a lamp that only dims.
    var tone: String? {
        switch values.mode {
        case .temperature: values.temperature.map { Temperature(mirek: $0).kelvin }
        case .color:
            if let color = values.color {
                color
            } else if let hue = values.hue, let saturation = values.saturation {
                "\(number(hue))° \(percent(saturation))"
            } else {
                nil
            }
        case nil: nil
        }
    }

    /// What the freshness means, in words; empty if the state is confirmed.
    func doubt(_ clock: WallClock) -> StyledText {
        switch freshness {
        case .confirmed: StyledText("")
        case .expected: StyledText("expected, not yet confirmed", .faint)
        case .stale: StyledText("stale since \(clock.when(since))", .warning)
        case .unreachable: StyledText("since \(clock.when(since)), was \(power.rawValue)", .alarm)
        }
    }

    /// "on, 40%, 2703K": the state in one line, with any doubt in parentheses.
    func summary(_ clock: WallClock) -> String {
        let shown = power == .on ? [values.brightness.map(percent), tone] : []
        let doubt = doubt(clock).text
        return ([state.text] + shown.compactMap { $0 }).joined(separator: ", ") + (doubt.isEmpty ? "" : " (\(doubt))")
    }

    var swatch: StyledText.RGB? { values.color.flatMap { StyledText.RGB(hex: $0) } }
}

extension StyledText.RGB {
    /// - Parameter hex: "#ff8800".
    init?(hex: String) {
        guard let color = RGBColor(hex) else { return nil }
        self.init(
            red: Int((color.red * 255).rounded()), green: Int((color.green * 255).rounded()),
            blue: Int((color.blue * 255).rounded()))
    }
}
