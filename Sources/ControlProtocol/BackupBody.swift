/// What a backup holds, and what restoring it replaces.
public struct BackupBody: Codable, Equatable, Sendable {
    /// When it was made.
    public var created: String
    /// The version of lightd that made it.
    public var version: String
    /// Whether the keys of its bridges and the access tokens are in it.
    public var keys: Bool
    public var contents: Counts
    /// What lightd had, or has if nothing was restored.
    public var replaced: Counts
    /// The names of its bridges whose keys are neither in it nor in lightd. They are left out, and must be paired again.
    public var withoutKey: [String]
    /// The names of the bridges that are no longer paired, because the backup does not have them.
    public var unpaired: [String]

    public struct Counts: Codable, Equatable, Sendable {
        /// Their names.
        public var bridges: [String]
        public var scenes: Int
        public var automations: Int
        public var timers: Int
        /// What is pinned to the dashboard.
        public var pins: Int
        public var bindings: Int
        public var curves: Int
        public var followings: Int
        /// Absent if they are not in the backup: they stay as they are.
        public var tokens: Int?

        public init(
            bridges: [String], scenes: Int, automations: Int, timers: Int, pins: Int, bindings: Int, curves: Int,
            followings: Int, tokens: Int? = nil
        ) {
            self.bridges = bridges
            self.scenes = scenes
            self.automations = automations
            self.timers = timers
            self.pins = pins
            self.bindings = bindings
            self.curves = curves
            self.followings = followings
            self.tokens = tokens
        }
    }

    enum CodingKeys: String, CodingKey {
        case created, version, keys, contents, replaced, unpaired
        case withoutKey = "without_key"
    }

    public init(
        created: String, version: String, keys: Bool, contents: Counts, replaced: Counts, withoutKey: [String],
        unpaired: [String]
    ) {
        self.created = created
        self.version = version
        self.keys = keys
        self.contents = contents
        self.replaced = replaced
        self.withoutKey = withoutKey
        self.unpaired = unpaired
    }
}
