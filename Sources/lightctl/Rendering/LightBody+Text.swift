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
        let shown = (power == .on ? [values.brightness.map(percent), values.tone] : []) + [signal?.words]
        let doubt = doubt(clock).text
        return ([state.text] + shown.compactMap { $0 }).joined(separator: ", ") + (doubt.isEmpty ? "" : " (\(doubt))")
    }

    var swatch: StyledText.RGB? { values.color.flatMap { StyledText.RGB(hex: $0) } }
}

extension LightBody.Signal {
    /// "blinks", "blinks #ff0000 #0000ff"
    var words: String { (["blinks"] + colors.map(printable)).joined(separator: " ") }
}

extension LightValuesBody {
    /// What a light shows besides its level: "2703K", "#ff8800", "#ff0000 #0000ff", "candle 2703K", "dynamic #ff8800";
    /// `nil` for a lamp that only dims.
    var tone: String? {
        let words = [effectName, gradientText ?? plainTone].compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    private var effectName: String? { effect.map { $0 == Self.dynamicPalette ? "dynamic" : printable($0) } }

    /// "#ff0000 #0000ff"; `nil` for one colour.
    var gradientText: String? { gradient.map { $0.map(Self.swatch).joined(separator: " ") } }

    /// "candle, speed 50%, #ff8800"; `nil` if none runs.
    var effectText: String? {
        guard let effectName else { return nil }
        let details = [
            effectSpeed.map { "speed \(percent($0))" }, effectColor.map(Self.swatch),
            effectDuration.map { "takes \(TimeSpan(milliseconds: $0).text)" },
        ]
        return ([effectName] + details.compactMap(\.self)).joined(separator: ", ")
    }

    private static func swatch(_ text: String) -> String {
        if case let .rgb(color)? = try? LightColor(text) { color.hex } else { printable(text) }
    }

    /// The white tone or colour in a form that lightctl accepts: "2703K", "#ff8800". What a scene sets has no mode, but
    /// names one of the two.
    private var plainTone: String? {
        let white = temperature.map { Temperature(mirek: $0).kelvin }
        return switch mode {
        case .temperature: white
        case .color: color ?? hue.flatMap { hue in saturation.map { "\(number(hue))° \(percent($0))" } }
        case nil: white ?? color
        }
    }
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
