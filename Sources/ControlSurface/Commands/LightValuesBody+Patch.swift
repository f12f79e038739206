import ControlProtocol
import HueWire
import Lighting

// Values of lights in the units of the API and in those of the domain.

extension LightValuesBody {
    /// What a light shows, of what it is able to show.
    init(of light: Light) {
        let (colours, whites) = (light.modes.contains(.hsb), light.modes.contains(.ct))
        self.init(
            brightness: light.limits.dims ? light.brightness.percent : nil,
            color: light.swatch?.hex,
            hue: colours ? light.hue.degrees : nil,
            saturation: colours ? light.saturation.percent : nil,
            temperature: whites ? light.temperature.value : nil,
            mode: light.selectedMode.body)
        add(light.values.gradient)
        add(light.values.effect)
    }

    /// What a patch names, with a swatch of it.
    init(of patch: LightPatch) {
        self.init(brightness: patch.brightness?.percent)
        add(patch.tone)
    }

    private mutating func add(_ tone: LightPatch.Tone?) {
        switch tone {
        case let .white(mirek): (temperature, color) = (mirek.value, RGBColor(mirek: mirek.value).hex)
        case let .color(hue?, saturation?):
            (self.hue, self.saturation) = (hue.degrees, saturation.percent)
            color = RGBColor(hue: hue * 360, saturation: saturation * 100).hex
        case .color, nil: break
        case let .gradient(gradient): add(gradient)
        case let .effect(effect?, over: base):
            add(base)
            add(effect)
        case .effect(nil, over: let base):
            add(base)
            effect = Self.noEffect
        }
    }

    private mutating func add(_ gradient: Light.Gradient?) {
        guard let gradient else { return }
        self.gradient = gradient.points.map(\.swatch.exact)
        gradientMode = gradient.mode?.body
        color = gradient.points.first?.swatch.hex
    }

    private mutating func add(_ effect: Light.Effect?) {
        guard let effect else { return }
        self.effect = effect.name
        effectSpeed = effect.speed?.percent
        effectColor = effect.color?.swatch.exact ?? effect.temperature.map { "\($0.value)mirek" }
        effectDuration = effect.milliseconds
    }

    private var level: Double? { brightness.map { $0 / 100 } }
    private var hasColor: Bool { hue != nil || saturation != nil }

    private var hueAndSaturation: LightPatch {
        .hsb(hue: hue.map { $0 / 360 }, saturation: saturation.map { $0 / 100 }, brightness: level)
    }

    /// What `set` asks for.
    ///
    /// - Throws: `invalid` if there is nothing to set, or the values contradict each other.
    var patch: LightPatch {
        get throws(ErrorReply) {
            var patch = try plainPatch
            if let gradient = try tone(of: gradient) { patch.tone = gradient }
            patch.tone = try tone(over: patch.tone)
            guard patch.hasValues else {
                throw ErrorReply(
                    .invalid, "'set' has nothing to set",
                    hint: "send brightness, color, hue, saturation, temperature, gradient or effect")
            }
            return patch
        }
    }

    /// Without a gradient and an effect.
    private var plainPatch: LightPatch {
        get throws(ErrorReply) {
            if let temperature {
                guard color == nil, !hasColor else {
                    throw ErrorReply(.invalid, "a light shows either a colour or a temperature; send one of the two")
                }
                return .ct(temperature.mirek, brightness: level)
            }
            if let color {
                guard !hasColor else {
                    throw ErrorReply(.invalid, "'color' sets hue and saturation; send either 'color' or those two")
                }
                return try LightColor.patch(color, brightness: level)
            }
            return hueAndSaturation
        }
    }

    /// - Throws: `invalid` for what is not a colour, for a white tone, and for a mode without colours.
    private func tone(of colors: [String]?) throws(ErrorReply) -> LightPatch.Tone? {
        guard let colors else {
            guard gradientMode == nil else {
                throw ErrorReply(.invalid, "'gradient_mode' goes with 'gradient'", hint: "send its colours, too")
            }
            return nil
        }
        guard color == nil, temperature == nil, !hasColor else {
            throw ErrorReply(.invalid, "a light shows either a gradient or one colour; send one of the two")
        }
        let points = try colors.map { (text) throws(ErrorReply) in try Light.Color(named: text, of: "a gradient") }
        return .gradient(Light.Gradient(points, mode: gradientMode.map { Light.Gradient.Mode($0) }))
    }

    /// What a tone becomes with the effect beside it.
    ///
    /// - Throws: `invalid` for a parameter without an effect, and for what is not a colour.
    private func tone(over base: LightPatch.Tone?) throws(ErrorReply) -> LightPatch.Tone? {
        let isRunning = effect != nil && effect != Self.noEffect
        let parameters = [
            ("effect_speed", effectSpeed != nil), ("effect_color", effectColor != nil),
            ("effect_duration", effectDuration != nil),
        ]
        if let stray = parameters.first(where: \.1), !isRunning {
            throw ErrorReply(.invalid, "'\(stray.0)' goes with 'effect'", hint: "name the effect, too")
        }
        guard let effect else { return base }
        guard isRunning else { return base ?? .effect(nil, over: nil) }
        var (color, white): (Light.Color?, Mirek?)
        switch try effectColor.map({ text throws(ErrorReply) in try LightColor.patch(text, brightness: nil) })?.tone {
        case let .color(hue?, saturation?): color = Light.Color(hue: hue, saturation: saturation)
        case let .white(mirek): white = mirek
        default: break
        }
        return .effect(
            Light.Effect(
                effect.lowercased(), speed: effectSpeed.map { $0 / 100 }, color: color, temperature: white,
                milliseconds: effectDuration), over: base)
    }

    /// The mean brightness to which `set` brings lights in their ratios, 0…1.
    ///
    /// - Throws: `invalid` if it is not the only value.
    var onlyLevel: Double {
        get throws(ErrorReply) {
            guard let level, self == Self(brightness: brightness) else {
                throw ErrorReply(
                    .invalid, "'keep_ratios' goes with 'brightness' alone",
                    hint: "send a colour or a temperature in a command of its own")
            }
            return level
        }
    }

    /// What `edit_scene` makes of lights.
    ///
    /// - Throws: `invalid` if there is nothing to change, or what is asked contradicts itself.
    func edit(turning power: Turn?, removing removes: Bool) throws(ErrorReply) -> Scene.Edit {
        let hasValues = self != Self()
        if removes {
            guard !hasValues, power == nil else {
                throw ErrorReply(.invalid, "'remove' takes lights out of the scene; send neither values nor 'power'")
            }
            return .remove
        }
        guard hasValues else {
            guard let power else {
                throw ErrorReply(
                    .invalid, "'edit_scene' has nothing to change",
                    hint: "send brightness, color, hue, saturation, temperature, gradient, effect, power or remove")
            }
            return .set(LightPatch(power: power))
        }
        guard power != .off else {
            throw ErrorReply(.invalid, "a light that the scene turns off shows no values; send either those or 'power'")
        }
        return .set(try patch.with(power: power))
    }

    /// What `apply` asks of a light; `nil` for no value.
    ///
    /// - Throws: `invalid` if a colour and a white tone are given, and nothing says which is meant, and for what is not a
    ///   colour.
    func patch(of light: String) throws(ErrorReply) -> LightPatch? {
        var patch = try plainPatch(of: light) ?? LightPatch()
        // Beside a gradient, a list has its first colour.
        if gradient != nil {
            patch.tone = try Self(gradient: gradient, gradientMode: gradientMode).tone(of: gradient)
        }
        patch.tone = try tone(over: patch.tone)
        return patch.hasValues ? patch : nil
    }

    private func plainPatch(of light: String) throws(ErrorReply) -> LightPatch? {
        guard mode != nil || !hasColor || temperature == nil else {
            throw ErrorReply(
                .invalid, "'\(light)' has a colour and a temperature",
                hint: "leave one of them out, or say which is meant by 'mode': color or temperature")
        }
        if hasColor, mode != .temperature { return hueAndSaturation }
        if let temperature, mode != .color { return .ct(temperature.mirek, brightness: level) }
        if let color, !hasColor, temperature == nil { return try LightColor.patch(color, brightness: level) }
        return level.map { .bri($0) }
    }

    /// A list has the swatch of each light beside the values that are sent. Where only the values were changed, it is
    /// still that of what the light shows; where only the swatch was changed, nothing of that would be sent.
    ///
    /// - Parameter name: of the light for which the values are.
    /// - Throws: `invalid` if the colour is neither that of the values beside it nor what the light shows.
    func refuseContradiction(at light: Light?, named name: String) throws(ErrorReply) {
        guard let color, hasColor || temperature != nil else { return }
        let swatch = try LightColor.swatch(color)
        let ofColor =
            hasColor ? RGBColor(hue: hue ?? swatch.hue, saturation: saturation ?? swatch.saturation) : nil
        let agreeing = [ofColor, temperature.map { RGBColor(mirek: $0) }, light?.swatch].compactMap(\.self)
        guard !agreeing.contains(where: swatch.resembles) else { return }
        let others = [("hue", hue == nil), ("saturation", saturation == nil), ("temperature", temperature == nil)]
        let named = others.filter { !$0.1 }.map(\.0).joined(separator: " and ")
        throw ErrorReply(
            .invalid, "the color of '\(name)' is \(color), which contradicts its \(named)",
            hint: "leave one of the two out: a color beside other values is only their swatch")
    }
}

extension LightPatch {
    /// "hue 120°, saturation 80%, 40%"
    var words: String { (toneWords + [levelWords].compactMap(\.self)).joined(separator: ", ") }

    var levelWords: String? { brightness?.percentWords }

    var toneWords: [String] {
        tone?.words ?? []
    }

    /// The fields of a command that it comes from.
    var fields: [String] {
        let level = brightness == nil ? [] : ["brightness"]
        return level + (tone?.fields ?? [])
    }
}

extension Light.Effect {
    /// "effect candle at 50%", "dynamic at 60%"
    fileprivate var words: String {
        (name == Self.palette ? "dynamic" : "effect \(name)") + (speed.map { " at \($0.percentWords)" } ?? "")
    }
}

extension LightPatch.Tone {
    fileprivate var words: [String] {
        switch self {
        case let .white(mirek): ["\(mirek.value) mirek"]
        case let .color(hue, saturation):
            [
                hue.map { "hue \(($0 * 360).short)°" }, saturation.map { "saturation \($0.percentWords)" },
            ].compactMap(\.self)
        case let .gradient(gradient): ["gradient of " + gradient.points.map(\.swatch.hex).joined(separator: ", ")]
        case let .effect(effect, over: base):
            [effect?.words ?? "no effect"] + (base?.words ?? [])
        }
    }

    fileprivate var fields: [String] {
        switch self {
        case .white: ["temperature"]
        case .color: ["color"]
        case .gradient: ["gradient"]
        case let .effect(_, over: base): ["effect"] + (base?.fields ?? [])
        }
    }
}

extension Light.Color {
    /// - Parameter whole: what it is a part of.
    /// - Throws: `invalid` for what is not a colour, and for a white tone.
    init(named text: String, of whole: String) throws(ErrorReply) {
        guard case let .color(hue?, saturation?)? = try LightColor.patch(text, brightness: nil).tone else {
            throw ErrorReply(.invalid, "'\(text)' is a white tone, and \(whole) has colours alone")
        }
        self.init(hue: hue, saturation: saturation)
    }

    /// At full brightness.
    var swatch: RGBColor { RGBColor(hue: hue * 360, saturation: saturation * 100) }
}

extension Light.Gradient.Mode {
    var body: LightValuesBody.GradientMode {
        switch self {
        case .linear: .linear
        case .mirrored: .mirrored
        case .random: .random
        case .segmented: .segmented
        }
    }

    fileprivate init(_ body: LightValuesBody.GradientMode) {
        self =
            switch body {
            case .linear: .linear
            case .mirrored: .mirrored
            case .random: .random
            case .segmented: .segmented
            }
    }
}

extension Light {
    /// The colour that the light shows; if its mode is unknown, a colour that it can show.
    var swatch: RGBColor? {
        switch selectedMode {
        case .ct: RGBColor(mirek: temperature.value)
        case .hsb: RGBColor(hue: hue * 360, saturation: saturation * 100)
        case .unset where modes.contains(.ct): RGBColor(mirek: temperature.value)
        case .unset where modes.contains(.hsb): RGBColor(hue: hue * 360, saturation: saturation * 100)
        case .unset: nil
        }
    }
}

extension Light.Mode {
    fileprivate var body: LightValuesBody.Mode? {
        switch self {
        case .hsb: .color
        case .ct: .temperature
        case .unset: nil
        }
    }
}

extension Double {
    /// A fraction in per cent, to the hundredth: finer than any lamp, and readable.
    var percent: Double { (self * 10_000).rounded() / 100 }
    /// A fraction of the colour circle in degrees, to the hundredth.
    var degrees: Double { (self * 36_000).rounded() / 100 }
}

extension LightColor {
    /// - Parameter level: 0…1; goes before the colour's own brightness.
    /// - Throws: `invalid` for what is not a colour.
    static func patch(_ text: String, brightness level: Double?) throws(ErrorReply) -> LightPatch {
        try read(text).patch(brightness: level)
    }

    /// How a screen shows the colour, at full brightness.
    ///
    /// - Throws: `invalid` for what is not a colour.
    static func swatch(_ text: String) throws(ErrorReply) -> RGBColor {
        switch try read(text) {
        case let .rgb(color): return RGBColor(hue: color.hue, saturation: color.saturation)
        case let .hsb(hue, saturation, _): return RGBColor(hue: hue, saturation: saturation)
        case let .xy(x, y):
            let color = HueSaturation(XY(x: x, y: y))
            return RGBColor(hue: color.hue * 360, saturation: color.saturation * 100)
        case let .white(mirek): return RGBColor(mirek: mirek)
        }
    }

    private static func read(_ text: String) throws(ErrorReply) -> LightColor {
        do throws(Mistake) {
            return try LightColor(text)
        } catch {
            throw ErrorReply(.invalid, "'\(text)' is \(error)")
        }
    }

    private func patch(brightness level: Double?) -> LightPatch {
        switch self {
        case let .rgb(color): .hsb(hue: color.hue / 360, saturation: color.saturation / 100, brightness: level)
        case let .hsb(hue, saturation, brightness):
            .hsb(hue: hue / 360, saturation: saturation / 100, brightness: level ?? brightness / 100)
        case let .xy(x, y):
            Self.patch(HueSaturation(XY(x: x, y: y)), brightness: level)
        case let .white(mirek): .ct(mirek.mirek, brightness: level)
        }
    }

    private static func patch(_ color: HueSaturation, brightness level: Double?) -> LightPatch {
        .hsb(hue: color.hue, saturation: color.saturation, brightness: level)
    }
}

extension RGBColor {
    /// Whether the two are the same when each channel is rounded to 1/255, as in "#ff8800".
    func resembles(_ other: RGBColor) -> Bool {
        [(red, other.red), (green, other.green), (blue, other.blue)].allSatisfy { abs($0 - $1) * 255 < 1.5 }
    }
}
