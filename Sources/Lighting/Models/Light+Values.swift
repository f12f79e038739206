extension Light {
    /// The values a light shows. Numbers are held to their ranges by construction: no change leads outside.
    public struct Values: Hashable, Codable, Sendable {
        public let power: Turn
        public let brightness: Double
        public let hue: Double
        public let saturation: Double
        public let temperature: Mirek
        public let mode: Mode

        public init(
            power: Turn = .off,
            brightness: Double = 1,
            hue: Double = 0,
            saturation: Double = 0,
            temperature: Mirek = 366.mirek,
            mode: Mode = .unset
        ) {
            self.power = power
            self.brightness = brightness.heldToUnit
            self.hue = hue.heldToUnit
            self.saturation = saturation.heldToUnit
            self.temperature = temperature
            self.mode = mode
        }
    }
}

extension Light.Values {
    // Setting hue or saturation selects the colour mode, setting the temperature the white one.
    // swift-format-ignore
    func with(power      p: Turn  ) -> Self { Self(power: p    , brightness: brightness, hue: hue, saturation: saturation, temperature: temperature, mode: mode) }
    // swift-format-ignore
    func with(brightness b: Double) -> Self { Self(power: power, brightness: b         , hue: hue, saturation: saturation, temperature: temperature, mode: mode) }
    // swift-format-ignore
    func with(hue        h: Double) -> Self { Self(power: power, brightness: brightness, hue: h  , saturation: saturation, temperature: temperature, mode: .hsb) }
    // swift-format-ignore
    func with(saturation s: Double) -> Self { Self(power: power, brightness: brightness, hue: hue, saturation: s         , temperature: temperature, mode: .hsb) }
    // swift-format-ignore
    func with(temperature t: Mirek) -> Self { Self(power: power, brightness: brightness, hue: hue, saturation: saturation, temperature: t          , mode: .ct ) }

    func merging(_ report: Light.Report) -> Self {
        Self(
            power: report.power ?? power,
            brightness: report.brightness ?? brightness,
            hue: report.hue ?? hue,
            saturation: report.saturation ?? saturation,
            temperature: report.temperature ?? temperature,
            mode: report.mode ?? mode
        )
    }

    /// What is shown once a report has turned `old` into `new`: value by value the truth, unless a different wish for it
    /// is still under way.
    func confirmed(from old: Self, to new: Self) -> Self {
        func settled<Value>(_ value: (Self) -> Value, _ agree: (Value, Value) -> Bool) -> Value {
            let wished = !agree(value(self), value(old))
            return wished && !agree(value(self), value(new)) ? value(self) : value(new)
        }
        return Self(
            power: settled(\.power, ==),
            brightness: settled(\.brightness, Self.brightnessAgrees),
            hue: settled(\.hue, Self.hueAgrees),
            saturation: settled(\.saturation, Self.saturationAgrees),
            temperature: settled(\.temperature, Self.temperatureAgrees),
            mode: settled(\.mode, ==)
        )
    }

    /// Whether a person would call the two the same, given the steps in which bridges report: half a point of brightness,
    /// two mirek, two hundredths of the colour circle. Only what the mode shows is compared.
    ///
    /// Source of the steps: levels echo on a grid of 1/253 (openhab/openhab-addons#21742), so a written 50 % comes back as 49.8.
    public func agrees(with other: Self) -> Bool {
        guard power == other.power, mode == other.mode, Self.brightnessAgrees(brightness, other.brightness) else {
            return false
        }
        return switch mode {
        case .unset: true
        case .ct: Self.temperatureAgrees(temperature, other.temperature)
        case .hsb:
            Self.saturationAgrees(saturation, other.saturation)
                // Near white a hue says nothing.
                && (saturation < 0.05 || Self.hueAgrees(hue, other.hue))
        }
    }

    private static func brightnessAgrees(_ one: Double, _ other: Double) -> Bool { abs(one - other) <= 0.0051 }
    private static func saturationAgrees(_ one: Double, _ other: Double) -> Bool { abs(one - other) <= 0.02 }
    private static func temperatureAgrees(_ one: Mirek, _ other: Mirek) -> Bool { abs(one.value - other.value) <= 2 }
    private static func hueAgrees(_ one: Double, _ other: Double) -> Bool {
        let apart = abs(one - other)
        return min(apart, 1 - apart) <= 0.02
    }
}

extension Double {
    /// Held to 0…1; what is not a number counts as 0.
    var heldToUnit: Double { isNaN ? 0 : Swift.min(Swift.max(self, 0), 1) }
}
