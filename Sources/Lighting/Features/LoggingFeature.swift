public import Khipu

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
