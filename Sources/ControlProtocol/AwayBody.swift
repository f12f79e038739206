/// A presence replay: whether one goes on, what it does next, and why the last one ended.
public struct AwayBody: Codable, Equatable, Sendable {
    public var on: Bool
    /// When it began; absent if there was none.
    public var since: String?
    /// When it ends at the latest; absent if only a sign of life ends it.
    public var until: String?
    /// The same seed and the same history give the same plan.
    public var seed: UInt64?
    /// Why it ended, if it has.
    public var ended: Ended?
    /// The names of the lights that it has turned on.
    public var lit: [String]
    /// What is to come, in order.
    public var plan: [Change]

    public struct Ended: Codable, Equatable, Sendable {
        public var at: String
        /// "wall switch Hall", "anna (uid 1000) with lightctl sent a command".
        public var because: String

        public init(at: String, because: String) {
            self.at = at
            self.because = because
        }
    }

    public struct Change: Codable, Equatable, Sendable {
        public var at: String
        /// The light's id.
        public var light: String
        public var name: String
        public var power: Turn
        /// Per cent; absent if the light comes on as it last was, or goes off.
        public var brightness: Double?

        public init(at: String, light: String, name: String, power: Turn, brightness: Double? = nil) {
            self.at = at
            self.light = light
            self.name = name
            self.power = power
            self.brightness = brightness
        }
    }

    public init(
        on: Bool, since: String? = nil, until: String? = nil, seed: UInt64? = nil, ended: Ended? = nil,
        lit: [String] = [], plan: [Change] = []
    ) {
        self.on = on
        self.since = since
        self.until = until
        self.seed = seed
        self.ended = ended
        self.lit = lit
        self.plan = plan
    }
}
