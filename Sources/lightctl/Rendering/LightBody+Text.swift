import ControlProtocol

extension LightBody {
    /// "on", "off", "on?" where the bridge has gone silent, "unreachable" where the lamp has.
    var state: StyledText {
        switch freshness {
        case .confirmed: StyledText(power.rawValue, power == .on ? .strong : .plain)
        case .expected: StyledText(power.rawValue)
        case .stale: StyledText(power.rawValue + "?", .warning)
        case .unreachable: StyledText("unreachable", .alarm)
        }
    }

    /// What it shows beside its brightness, as it can be typed: "2703K", "#ff8800", nothing for a lamp that only dims.
    var tone: String? {
        switch mode {
        case .temperature: temperature.map { Temperature(mirek: $0).kelvin }
        case .color:
            if let color {
                color
            } else if let hue, let saturation {
                "\(number(hue))° \(percent(saturation))"
            } else {
                nil
            }
        case nil: nil
        }
    }

    /// In words what its freshness means; nothing where all is well.
    func doubt(_ clock: WallClock) -> StyledText {
        switch freshness {
        case .confirmed: StyledText("")
        case .expected: StyledText("expected, not yet confirmed", .faint)
        case .stale: StyledText("stale since \(clock.when(since))", .warning)
        case .unreachable: StyledText("since \(clock.when(since)), was \(power.rawValue)", .alarm)
        }
    }

    /// "on, 40%, 2703K": the state in one line, with its doubt.
    func summary(_ clock: WallClock) -> String {
        let values = power == .on ? [brightness.map(percent), tone] : []
        let doubt = doubt(clock).words
        return ([state.words] + values.compactMap { $0 }).joined(separator: ", ") + (doubt.isEmpty ? "" : " (\(doubt))")
    }

    var swatch: StyledText.RGB? {
        color.flatMap(RGBColor.init).map {
            StyledText.RGB(
                red: Int(($0.red * 255).rounded()), green: Int(($0.green * 255).rounded()),
                blue: Int(($0.blue * 255).rounded()))
        }
    }
}
