extension Light {
    /// What a bridge told of one light: only the values it named. Absence means unchanged.
    public struct Report: Hashable, Codable, Sendable {
        public let power: Turn?
        public let brightness: Double?
        public let hue: Double?
        public let saturation: Double?
        public let temperature: Mirek?
        public let mode: Mode?
        /// Whether the bridge reaches the lamp; `nil` where it did not say.
        public let reachable: Bool?
        public let powerup: Powerup?
        /// Whose doing it is, as far as can be told; `nil`: nobody's that is known.
        public let source: Cause.Kind?
        /// Whether it holds against a wish that is under way: the lamp was looked at after the bridge had taken it.
        public let overrules: Bool?

        public init(
            power: Turn? = nil,
            brightness: Double? = nil,
            hue: Double? = nil,
            saturation: Double? = nil,
            temperature: Mirek? = nil,
            mode: Mode? = nil,
            reachable: Bool? = nil,
            powerup: Powerup? = nil,
            source: Cause.Kind? = nil,
            overrules: Bool? = nil
        ) {
            self.power = power
            self.brightness = brightness
            self.hue = hue
            self.saturation = saturation
            self.temperature = temperature
            self.mode = mode
            self.reachable = reachable
            self.powerup = powerup
            self.source = source
            self.overrules = overrules
        }

        /// Everything a whole light says.
        public init(
            _ values: Values, reachable: Bool, powerup: Powerup? = nil, source: Cause.Kind? = nil,
            overrules: Bool? = nil
        ) {
            self.init(
                power: values.power,
                brightness: values.brightness,
                hue: values.hue,
                saturation: values.saturation,
                temperature: values.temperature,
                mode: values.mode,
                reachable: reachable,
                powerup: powerup,
                source: source,
                overrules: overrules
            )
        }
    }
}
