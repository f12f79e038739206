public import Khipu

// swift-format-ignore
extension Message {
    public enum Logging: Equatable, Codable, Sendable {
        // Commands, each followed by its response.
        case write  (Level, String)
        case writing(Level, Outcome)
        case list   (Journal.Filter)
        case listing([Journal.Entry], Outcome)
        /// Nobody waits for the list of this ticket any more. What is read of it fails.
        case withdraw
        /// Deletes everything older than this moment.
        case prune  (olderThan: Timestamp)
        case pruning(olderThan: Timestamp, Outcome)

        public enum Level: String, Codable, Sendable, CaseIterable { case debug, info, warning, error }

        public var outcome: Outcome? {
            switch self {
            case let .writing(_, o), let .listing(_, o), let .pruning(_, o): o
            case .write, .list, .withdraw, .prune: nil
            }
        }
    }
}

extension Message {
    /// Whether the journal records it: all but what only reads, of which the log would be full, and what it has
    /// recorded already.
    public var isJournaled: Bool {
        // The steps of a curve would fill it.
        guard !ticket.isFollowUpStep || outcome?.failure != nil else { return false }
        return switch self {
        case .logging(.list, _), .logging(.listing, _), .logging(.withdraw, _), .logging(.writing, _): false
        case .scenes(.read, _), .scenes(.reading, _), .dashboard(.show, _), .dashboard(.showing, _): false
        case .automations(.saved, _): false
        // The report that confirmed the command is in the journal already.
        case .lighting(.settled(.succeeded), _): false
        // A month of somebody's life is not written down again.
        case .presence(.recalled, _), .presence(.preview, _), .presence(.previewing, _): false
        // It ends when its beginning said.
        case .lighting(.reported(.signal(_, nil)), _): false
        // Which firmware a bridge has is told at each start.
        case let .lighting(.reported(.firmware(_, firmware)), _): firmware.hasUpdate
        // Every sensor measures every few minutes; the state has the newest.
        case let .lighting(.reported(.sensor(_, report)), _): !report.isMeasurement
        // So would the colours of a dynamic scene; and what is kept for a lamp, its command says.
        case let .lighting(.reported(.light(_, report)), _):
            report.source?.ticket?.isFollowUpStep != true && !report.isMove && !report.isOnlyOfKept
        default: true
        }
    }

    /// Records in the journal that lightd could not save something for which no caller waits.
    static func notSaved(_ failure: Failure, at time: Timestamp) -> Self {
        .logging(.write(.error, failure.description), ticket: .unasked(from: "lightd", at: time))
    }
}

/// The journal: records every message, except those that only read.
///
/// Belongs before the features that change the state: of what a bridge reports, it records what differs from the state.
@DomainActor
public func createLoggingFeature(
    store: AppStore,
    journal: Journal,
    clock: Clock,
    output: @escaping Output<Message>
) -> Input<Message> {
    let keeper = JournalKeeper(store: store, journal: journal, clock: clock) { response, ticket in
        output(.logging(Message.Logging(response), ticket: ticket))
    }

    // swift-format-ignore
    @DomainActor func execute(_ message: Message.Logging, _ ticket: Ticket) {
        switch message {
        case let .write(level, _)          : output(.logging(.writing(level, .succeeded), ticket: ticket))
        case let .list (filter)            : keeper.request(to: .list(filter), ticket: ticket)
        case .withdraw                     : keeper.request(to: .withdraw, ticket: ticket)
        case .listing                      : keeper.request(to: .forget, ticket: ticket)
        case let .prune(olderThan: time)   : keeper.request(to: .prune(olderThan: time), ticket: ticket)
        case .writing, .pruning            : break
        }
    }

    return { message in
        if message.isJournaled { keeper.request(to: .record(message), ticket: message.ticket) }
        if case let .logging(message, ticket) = message { execute(message, ticket) }
    }
}

extension Message.Logging {
    fileprivate init(_ response: JournalKeeper.Response) {
        switch response {
        case let .listing(entries, outcome): self = .listing(entries, outcome)
        case let .pruning(olderThan: time, outcome): self = .pruning(olderThan: time, outcome)
        }
    }
}
