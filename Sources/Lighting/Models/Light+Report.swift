extension Light {
    /// What a bridge reported about one light. A value that is `nil` was not reported and has not changed.
    public struct Report: Hashable, Codable, Sendable {
        public let power: Turn?
        public let brightness: Double?
        public let hue: Double?
        public let saturation: Double?
        public let temperature: Mirek?
        public let mode: Mode?
        /// Whether the bridge reaches the lamp.
        public let reachable: Bool?
        public let powerup: Powerup?
        /// Who or what changed the light; `nil` if unknown.
        public let source: Cause.Kind?
        /// Whether it also replaces expected values, because the lamp was read after the bridge had accepted the
        /// command.
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

        /// A report of all values.
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

        /// One report in place of this and the next one.
        public func merged(with next: Self) -> Self {
            Self(
                power: next.power ?? power,
                brightness: next.brightness ?? brightness,
                hue: next.hue ?? hue,
                saturation: next.saturation ?? saturation,
                temperature: next.temperature ?? temperature,
                mode: next.mode ?? mode,
                reachable: next.reachable ?? reachable,
                powerup: next.powerup ?? powerup,
                source: next.source,
                overrules: next.overrules
            )
        }
    }
}
