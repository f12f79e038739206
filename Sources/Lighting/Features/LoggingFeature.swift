public import Khipu

/// The journal: every message that flows by goes in. Reading it is not itself recorded, else each look would make the next one
/// longer.
@DomainActor
public func createLoggingFeature(
    journal: Journal,
    clock: Clock,
    output: @escaping Output<Message>
) -> Input<Message> {
    let keeper = JournalKeeper(journal: journal, clock: clock, responder: process(on: output))

    // swift-format-ignore
    @DomainActor func execute(_ command: Message.Logging, _ ticket: Ticket) {
        switch command {
        case let .write(level, _)          : output(.logging(.writing(level, .succeeded), ticket: ticket))
        case let .list (filter)            : keeper.request(to: .list(filter, ticket))
        case let .prune(olderThan: time)   : keeper.request(to: .prune(olderThan: time, ticket))
        case .writing, .listing, .pruning  : break
        }
    }

    return { message in
        switch message {
        case .logging(.list, _), .logging(.listing, _), .logging(.writing, _): break
        // What was asked and answered has come to be: the report before it says so.
        case .lighting(.settled(.succeeded), _): break
        default: keeper.request(to: .record(message))
        }
        if case let .logging(command, ticket) = message { execute(command, ticket) }
    }
}

private func process(on output: @escaping Output<Message>) -> Output<JournalKeeper.Response> {
    {
        switch $0 {
        case let .listing(entries, outcome, ticket): output(.logging(.listing(entries, outcome), ticket: ticket))
        case let .pruning(olderThan: time, outcome, ticket):
            output(.logging(.pruning(olderThan: time, outcome), ticket: ticket))
        }
    }
}
