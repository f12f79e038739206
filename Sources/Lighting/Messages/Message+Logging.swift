public import Khipu

// swift-format-ignore
extension Message {
    public enum Logging: Equatable, Codable, Sendable {
        // Commands, each followed by its response.
        case write  (Level, String)
        case writing(Level, Outcome)
        case list   (Journal.Filter)
        case listing([Journal.Entry], Outcome)
        /// Deletes everything older than this moment.
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
    /// Records in the journal that lightd could not save something for which no caller waits.
    static func notSaved(_ failure: Failure, at time: Timestamp) -> Self {
        .logging(.write(.error, failure.description), ticket: .unasked(from: "lightd", at: time))
    }
}
