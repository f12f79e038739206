public import Khipu

/// The gateway to the record of all messages: commands, responses, and what bridges reported. It is bounded, and
/// written in batches.
public struct Journal: Sendable {
    /// Appends a message, with what the things in it are called now. Never waits and never fails: if the journal cannot
    /// be written, the log says so.
    public var append: @Sendable (Message, Names, Timestamp) -> Void
    /// The newest entries that match the filter, oldest first, including those not yet written to disk. What it returns
    /// is for a caller that waits no more: the read is given up, and fails, unless it has been answered.
    public var list: @Sendable (Filter, @escaping Reply<Result<[Entry], Failure>>) -> Withdrawal
    /// Deletes entries older than this.
    public var prune: @Sendable (Timestamp, @escaping Reply<Outcome>) -> Void
    /// What entries that had to give way to newer ones said of how people light their home. It has bounds of its own, so
    /// that whoever fills the journal takes nothing away from it.
    public var pastUsage: @Sendable (@escaping Reply<Result<UsageTally, Failure>>) -> Void

    public typealias Withdrawal = @Sendable () -> Void

    public init(
        append: @escaping @Sendable (Message, Names, Timestamp) -> Void,
        list: @escaping @Sendable (Filter, @escaping Reply<Result<[Entry], Failure>>) -> Withdrawal,
        prune: @escaping @Sendable (Timestamp, @escaping Reply<Outcome>) -> Void,
        pastUsage: @escaping @Sendable (@escaping Reply<Result<UsageTally, Failure>>) -> Void = {
            $0(.success(UsageTally()))
        }
    ) {
        self.append = append
        self.list = list
        self.prune = prune
        self.pastUsage = pastUsage
    }

    public struct Entry: Equatable, Codable, Sendable {
        /// Rises with every entry, and is never given twice, also over restarts. A kill may skip numbers.
        public let number: Int64
        public let time: Timestamp
        public let message: Message
        /// Empty in what older versions have recorded.
        public let names: Names

        public init(number: Int64, time: Timestamp, message: Message, names: Names = Names()) {
            self.number = number
            self.time = time
            self.message = message
            self.names = names
        }
    }

    /// What an entry must be to be listed: all that the filter names.
    public struct Filter: Equatable, Codable, Sendable {
        public let since: Timestamp?
        /// Only entries before this time.
        public let until: Timestamp?
        /// Only entries after this number.
        public let after: Int64?
        /// Only entries before this number.
        public let before: Int64?
        public let feature: Message.Feature?
        public let subject: Subject?
        /// Only what was caused in this way: a command with its outcome, or what a bridge reported.
        public let cause: Cause.Name?
        /// Only what came from a sender, switch or sensor with this in its name; case is ignored.
        public let by: String?
        /// At most this many, the newest.
        public let limit: Int

        public init(
            since: Timestamp? = nil, until: Timestamp? = nil, after: Int64? = nil, before: Int64? = nil,
            feature: Message.Feature? = nil,
            subject: Subject? = nil, cause: Cause.Name? = nil, by: String? = nil, limit: Int = 100
        ) {
            self.since = since
            self.until = until
            self.after = after
            self.before = before
            self.feature = feature
            self.subject = subject
            self.cause = cause
            self.by = by
            self.limit = limit
        }
    }

    /// The lights that entries are about, with the rooms, zones and scenes that have them; and sensors.
    public struct Subject: Equatable, Codable, Sendable {
        public let lights: Set<Light.ID>
        public let rooms: Set<Room.ID>
        public let scenes: Set<Scene.ID>
        public let sensors: Set<Sensor.ID>

        public init(
            lights: Set<Light.ID>, rooms: Set<Room.ID> = [], scenes: Set<Scene.ID> = [], sensors: Set<Sensor.ID> = []
        ) {
            self.lights = lights
            self.rooms = rooms
            self.scenes = scenes
            self.sensors = sensors
        }
    }
}
