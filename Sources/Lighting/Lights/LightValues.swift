extension Light {
    /// The values a light shows. Levels are always within 0…1: nothing can set them to a number outside.
    public struct Values: Hashable, Codable, Sendable, ChangeTable {
        public fileprivate(set) var power: Turn
        public fileprivate(set) var brightness: Double
        public fileprivate(set) var hue: Double
        public fileprivate(set) var saturation: Double
        public fileprivate(set) var temperature: Mirek
        public fileprivate(set) var mode: Mode
        /// Its first point is the hue and saturation; `nil` if it shows one colour.
        @Boxed public fileprivate(set) var gradient: Gradient?
        /// `nil` if none runs.
        @Boxed public fileprivate(set) var effect: Effect?

        public init(
            power: Turn = .off,
            brightness: Double = 1,
            hue: Double = 0,
            saturation: Double = 0,
            temperature: Mirek = 366.mirek,
            mode: Mode = .unset,
            gradient: Gradient? = nil,
            effect: Effect? = nil
        ) {
            self.power = power
            self.brightness = brightness.clampedToUnit
            self.hue = hue.clampedToUnit
            self.saturation = saturation.clampedToUnit
            self.temperature = temperature
            self.mode = mode
            self.gradient = gradient
            self.effect = effect
        }
    }
}

extension Light.Values {
    // Setting hue, saturation or a gradient selects the colour mode, setting the temperature selects the white mode. Each
    // takes the place of a gradient, and ends an effect.
    // swift-format-ignore
    func with(power       p: Turn  ) -> Self { with { $0.power = p } }
    // swift-format-ignore
    func with(brightness  b: Double) -> Self { with { $0.brightness = b.clampedToUnit } }
    // swift-format-ignore
    func with(hue         h: Double) -> Self { plain { $0.hue = h.clampedToUnit; $0.mode = .hsb } }
    // swift-format-ignore
    func with(saturation  s: Double) -> Self { plain { $0.saturation = s.clampedToUnit; $0.mode = .hsb } }
    // swift-format-ignore
    func with(temperature t: Mirek ) -> Self { plain { $0.temperature = t; $0.mode = .ct } }
    // swift-format-ignore
    func with(effect      e: Light.Effect?) -> Self { with { $0.effect = e } }

    func with(gradient: Light.Gradient) -> Self {
        let first = gradient.points.first ?? Light.Color(hue: hue, saturation: saturation)
        return with(hue: first.hue).with(saturation: first.saturation).with {
            // Without a mode the strip keeps its own.
            $0.gradient = Light.Gradient(gradient.points, mode: gradient.mode ?? self.gradient?.mode)
        }
    }

    private func plain(_ change: (inout Self) -> Void) -> Self {
        with {
            change(&$0)
            ($0.gradient, $0.effect) = (nil, nil)
        }
    }

    /// What is shown after a report has changed `old` into `new`: each value as reported, unless a different one is
    /// still expected.
    ///
    /// - Parameter superseded: what an earlier command asked for and the bridge has not confirmed. Its report may still
    ///   come, and says nothing about the newer command.
    func confirmed(from old: Self, to new: Self, insteadOf superseded: Self?) -> Self {
        func settled<Value>(_ value: (Self) -> Value, _ agree: (Value, Value) -> Bool) -> Value {
            let isExpected =
                !agree(value(self), value(old)) || superseded.map { !agree(value(self), value($0)) } ?? false
            return isExpected && !agree(value(self), value(new)) ? value(self) : value(new)
        }
        return Self(
            power: settled(\.power, ==),
            brightness: settled(\.brightness, Self.brightnessAgrees),
            hue: settled(\.hue, Self.hueAgrees),
            saturation: settled(\.saturation, Self.saturationAgrees),
            temperature: settled(\.temperature, Self.temperatureAgrees),
            mode: settled(\.mode, ==),
            gradient: settled(\.gradient) { $0.agrees(with: $1) },
            effect: settled(\.effect) { $0.agrees(with: $1) }
        )
    }

    /// Whether the two look the same, given the steps in which bridges report (``Light/Tolerance``). Compares only what the
    /// mode shows, and nothing of the colours through which a dynamic scene moves a lamp. A colour that a bridge shifts
    /// further, or limits to what the lamp can show, is reported in the words in which it was asked for.
    public func agrees(with other: Self) -> Bool {
        guard power == other.power, Self.brightnessAgrees(brightness, other.brightness),
            effect.agrees(with: other.effect)
        else { return false }
        if isMoving { return true }
        guard mode == other.mode else { return false }
        return switch mode {
        case .unset: true
        case .ct: Self.temperatureAgrees(temperature, other.temperature)
        case .hsb: color.agrees(with: other.color) && gradient.agrees(with: other.gradient)
        }
    }

    /// Whether the two look the same, and whatever one says of its effect the other says, too: what is not known of one may
    /// be anything.
    func isSame(as other: Self) -> Bool { agrees(with: other) && names(effectOf: other) && other.names(effectOf: self) }

    /// Whether it says all that another says of its effect; what both say agrees.
    func names(effectOf other: Self) -> Bool {
        guard let effect, let wanted = other.effect else { return true }
        return effect.says(allOf: wanted)
    }

    /// Whether a dynamic scene moves it through the colours of its palette.
    var isMoving: Bool { effect?.name == Light.Effect.palette }

    /// `nil` while it shows something else than white.
    var white: Mirek? { mode == .ct && effect == nil ? temperature : nil }

    /// The points of its gradient, or its one colour; none while it shows white.
    public var colors: [Light.Color] { mode == .hsb ? gradient?.points ?? [color] : [] }

    private var color: Light.Color { Light.Color(hue: hue, saturation: saturation) }

    static func brightnessAgrees(_ one: Double, _ other: Double) -> Bool {
        abs(one - other) <= Light.Tolerance.reportedBrightness
    }
    private static func saturationAgrees(_ one: Double, _ other: Double) -> Bool {
        abs(one - other) <= Light.Tolerance.reportedSaturation
    }
    static func temperatureAgrees(_ one: Mirek, _ other: Mirek) -> Bool {
        abs(one.value - other.value) <= Light.Tolerance.reportedTemperature
    }
    static func hueAgrees(_ one: Double, _ other: Double) -> Bool {
        let apart = abs(one - other)
        return min(apart, 1 - apart) <= Light.Tolerance.reportedHue
    }
}

extension Light {
    /// How near is the same. Levels, hues and saturations are 0…1, temperatures mirek.
    public enum Tolerance {
        /// Bridges report levels in steps of 1/253 (openhab/openhab-addons#21742): 50 % comes back as 49.8.
        public static let reportedBrightness = 0.0051
        public static let reportedTemperature = 2
        static let reportedSaturation = 0.004
        /// 0.36°: from a saturation of 5 % on, four decimals of the point move the hue by less.
        static let reportedHue = 0.001

        public static let reportedSpeed = 0.01

        /// A light that follows something is sent nothing nearer than this: what bridges report is no finer.
        static let sentBrightness = 0.006
        static let sentTemperature = 3

        /// If nobody saw a light change, a value as near as this to what it would be sent now is not taken for a hand's.
        static let unseenBrightness = 0.05
        static let unseenTemperature = 25
    }

    /// Some lamps go dark at their lowest level (openhab/openhab-addons#21057), so steps and ratios end at this one.
    public static let lowestLevel = 0.01
}

extension Double {
    /// The nearest number in 0…1; 0 if it is not a number.
    var clampedToUnit: Double { isNaN ? 0 : Swift.min(Swift.max(self, 0), 1) }
}

/// Colour temperature in mirek: a million divided by kelvin. Most Hue lamps range from 153 (cool) to 500 (warm), newer
/// ones from 50 to 1000.
public struct Mirek: Hashable, Comparable, Codable, Sendable {
    public let value: Int

    public init(_ value: Int) {
        self.value = value
    }

    /// The nearest whole mirek; `nil` if the temperature is not above zero.
    public init?(kelvin: Double) {
        guard kelvin > 0, kelvin.isFinite else { return nil }
        self.init(Int((1_000_000 / Swift.max(kelvin, 1)).rounded()))
    }

    public var kelvin: Int { Int((1_000_000 / Double(Swift.max(value, 1))).rounded()) }

    public init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Int.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    public static func < (one: Self, other: Self) -> Bool { one.value < other.value }
}

extension Int {
    public var mirek: Mirek { Mirek(self) }
}
