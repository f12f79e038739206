public import Khipu

/// The gateway to the record of all messages: commands, responses, and what bridges reported. It is bounded, and
/// written in batches.
public struct Journal: Sendable {
    /// Appends a message. Never waits and never fails: if the journal cannot be written, the log says so.
    public var append: @Sendable (Message, Timestamp) -> Void
    /// The newest entries that match the filter, oldest first, including those not yet written to disk.
    public var list: @Sendable (Filter, @escaping Reply<Result<[Entry], Failure>>) -> Void
    /// Deletes entries older than this.
    public var prune: @Sendable (Timestamp, @escaping Reply<Outcome>) -> Void

    public init(
        append: @escaping @Sendable (Message, Timestamp) -> Void,
        list: @escaping @Sendable (Filter, @escaping Reply<Result<[Entry], Failure>>) -> Void,
        prune: @escaping @Sendable (Timestamp, @escaping Reply<Outcome>) -> Void
    ) {
        self.append = append
        self.list = list
        self.prune = prune
    }

    public struct Entry: Equatable, Codable, Sendable {
        /// Increases by one with every entry.
        public let number: Int64
        public let time: Timestamp
        public let message: Message

        public init(number: Int64, time: Timestamp, message: Message) {
            self.number = number
            self.time = time
            self.message = message
        }
    }

    public struct Filter: Equatable, Codable, Sendable {
        public let since: Timestamp?
        /// Only entries after this number.
        public let after: Int64?
        public let feature: Message.Feature?
        /// At most this many, the newest.
        public let limit: Int

        public init(since: Timestamp? = nil, after: Int64? = nil, feature: Message.Feature? = nil, limit: Int = 100) {
            self.since = since
            self.after = after
            self.feature = feature
            self.limit = limit
        }
    }
}
