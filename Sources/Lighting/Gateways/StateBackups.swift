public import Khipu

/// The gateway to backups of what lightd keeps: bridges, scenes, the dashboard, automations and timers, bindings, curves
/// and what lights follow; with keys also the bridges' keys and the access tokens. Not the journal, nor what is under way,
/// such as runs of automations, a presence replay, and what can be undone.
public struct StateBackups: Sendable {
    /// Makes a backup.
    ///
    /// - Parameters:
    ///   - withKeys: whether the file holds the keys of the bridges and the digests of the access tokens. Otherwise no
    ///     byte of it comes from them.
    ///   - version: of this lightd.
    ///   - time: when it is made.
    /// - Returns: the bytes of the file.
    public var make:
        @Sendable (_ withKeys: Bool, _ version: String, _ time: Timestamp) async throws(BackupError) -> [UInt8]
    /// Checks the whole of a file, and says what restoring it would do.
    public var examine: @Sendable (_ file: [UInt8]) async throws(BackupError) -> BackupSummary
    /// As ``examine``; then keeps the file beside the database, whose state it replaces when lightd begins anew.
    public var restore: @Sendable (_ file: [UInt8]) async throws(BackupError) -> BackupSummary

    public init(
        make: @escaping @Sendable (Bool, String, Timestamp) async throws(BackupError) -> [UInt8],
        examine: @escaping @Sendable ([UInt8]) async throws(BackupError) -> BackupSummary,
        restore: @escaping @Sendable ([UInt8]) async throws(BackupError) -> BackupSummary
    ) {
        self.make = make
        self.examine = examine
        self.restore = restore
    }
}

/// Why a backup can be neither made nor restored, in one sentence. Nothing was changed.
public enum BackupError: Error, Equatable, Sendable {
    /// The file is not a backup, is damaged, or holds what lightd never writes.
    case wrongFile(String)
    /// This version of lightd made it, and it is newer than this one.
    case newer(version: String)
    /// The database cannot be read, or the file cannot be kept.
    case database(String)
}

/// What a backup holds, and what restoring it does.
public struct BackupSummary: Equatable, Sendable {
    /// When it was made.
    public let created: Timestamp
    /// The version of lightd that made it.
    public let version: String
    public let hasKeys: Bool
    public let contents: Counts
    /// What lightd has now, which is replaced.
    public let replaced: Counts
    /// The names of its bridges whose keys are neither in it nor in lightd: they must be paired again.
    public let withoutKey: [String]
    /// The names of the bridges that lightd is paired with, and that the backup does not have.
    public let unpaired: [String]

    public struct Counts: Equatable, Sendable {
        /// Their names.
        public let bridges: [String]
        public let scenes: Int
        public let automations: Int
        public let timers: Int
        public let pins: Int
        public let bindings: Int
        public let curves: Int
        public let followings: Int
        /// `nil` if they are not in the backup, and so stay as they are.
        public let tokens: Int?

        public init(
            bridges: [String], scenes: Int, automations: Int, timers: Int, pins: Int, bindings: Int, curves: Int,
            followings: Int, tokens: Int?
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

    public init(
        created: Timestamp, version: String, hasKeys: Bool, contents: Counts, replaced: Counts, withoutKey: [String],
        unpaired: [String]
    ) {
        self.created = created
        self.version = version
        self.hasKeys = hasKeys
        self.contents = contents
        self.replaced = replaced
        self.withoutKey = withoutKey
        self.unpaired = unpaired
    }
}
