public import Khipu

// swift-format-ignore
extension Message {
    public enum Logging: Equatable, Codable, Sendable {
        case write  (Level, String)
        case writing(Level, Outcome)
        case list   (Journal.Filter)
        case listing([Journal.Entry], Outcome)
        /// Everything older than this moment.
        case prune  (olderThan: Timestamp)
        case pruning(olderThan: Timestamp, Outcome)

        public enum Level: String, Codable, Sendable, CaseIterable { case debug, info, warning, error }

        public var outcome: Outcome? {
            switch self {
            case let .writing(_, o), let .listing(_, o), let .pruning(_, o): o
            case .write, .list, .prune: nil
            }
        }
    }
}

extension Message {
    /// Something of ours could not be saved, and nobody waits to be told: it goes to the journal.
    static func unsaved(_ failure: Failure, at time: Timestamp) -> Self {
        .logging(.write(.error, failure.description), ticket: .unasked(from: "lightd", at: time))
    }
}
