public import Khipu

/// The record of messages: what people asked, what bridges told, what came of it. Bounded; written in batches.
public struct Journal: Sendable {
    /// Puts a message at the end. Never waits and never fails the sender: a journal that cannot be written says so in the log.
    public var append: @Sendable (Message, Timestamp) -> Void
    /// The newest entries that the filter lets through, oldest first, including those not yet written to disk.
    public var list: @Sendable (Filter, @escaping Reply<Result<[Entry], Failure>>) -> Void
    /// Removes what is older.
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
        /// Rises by one with every entry.
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
        /// At most so many, the newest.
        public let limit: Int

        public init(since: Timestamp? = nil, after: Int64? = nil, feature: Message.Feature? = nil, limit: Int = 100) {
            self.since = since
            self.after = after
            self.feature = feature
            self.limit = limit
        }
    }
}
