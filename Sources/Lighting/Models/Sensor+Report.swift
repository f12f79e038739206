extension Sensor {
    /// What a sensor told just now. What is `nil` was not told and has not changed.
    ///
    /// It is only ever made of something that happens while its bridge is connected: never of what a full read finds,
    /// nor of a press that a bridge repeats after a reconnect. Each press is told once.
    public struct Report: Hashable, Codable, Sendable {
        public let motion: Bool?
        public let contact: Contact?
        public let tampering: Bool?
        /// In lux.
        public let lightLevel: Double?
        /// In degrees Celsius.
        public let temperature: Double?
        /// 0…1.
        public let battery: Double?
        public let reachable: Bool?
        public let press: Pressed?
        /// Signed steps of the dial: 1000 are a full turn, clockwise is positive.
        public let rotation: Int?

        public struct Pressed: Hashable, Codable, Sendable {
            /// From 1.
            public let button: Int
            public let kind: Press
            /// Of a release: how long after what the button reported before it, by the bridge's own clock, however late
            /// it is told. `nil` if that is not known.
            public let after: Duration?

            public init(_ button: Int, _ kind: Press, after: Duration? = nil) {
                self.button = button
                self.kind = kind
                self.after = after
            }
        }

        public init(
            motion: Bool? = nil,
            contact: Contact? = nil,
            tampering: Bool? = nil,
            lightLevel: Double? = nil,
            temperature: Double? = nil,
            battery: Double? = nil,
            reachable: Bool? = nil,
            press: Pressed? = nil,
            rotation: Int? = nil
        ) {
            self.motion = motion
            self.contact = contact
            self.tampering = tampering
            self.lightLevel = lightLevel
            self.temperature = temperature
            self.battery = battery
            self.reachable = reachable
            self.press = press
            self.rotation = rotation
        }

        /// One report in place of this and the next one: where the dial was turned to in both, and the newer press.
        public func merged(with next: Self) -> Self {
            Self(
                motion: next.motion ?? motion,
                contact: next.contact ?? contact,
                tampering: next.tampering ?? tampering,
                lightLevel: next.lightLevel ?? lightLevel,
                temperature: next.temperature ?? temperature,
                battery: next.battery ?? battery,
                reachable: next.reachable ?? reachable,
                press: next.press ?? press,
                rotation: rotation.map { $0 + (next.rotation ?? 0) } ?? next.rotation
            )
        }

        /// Whether it only says what was measured, as every sensor does every few minutes.
        public var isMeasurement: Bool {
            self == Report(lightLevel: lightLevel, temperature: temperature, battery: battery)
        }
    }
}
