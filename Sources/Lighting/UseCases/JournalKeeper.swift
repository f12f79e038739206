public import Khipu

/// Keeps the journal: writes every message that flows by, lists and prunes.
public struct JournalKeeper: UseCase {
    public enum Request {
        case record(Message)
        case list(Journal.Filter, Ticket)
        case prune(olderThan: Timestamp, Ticket)
    }

    public enum Response {
        case listing([Journal.Entry], Outcome, Ticket)
        case pruning(olderThan: Timestamp, Outcome, Ticket)
    }

    private let journal: Journal
    private let clock: Clock
    private let respond: Output<Response>

    public init(journal: Journal, clock: Clock, responder: @escaping Output<Response>) {
        self.journal = journal
        self.clock = clock
        self.respond = responder
    }

    public func request(to request: Request) {
        switch request {
        case let .record(message):
            journal.append(message, clock.now())
        case let .list(filter, ticket):
            journal.list(filter) { [respond] result in
                switch result {
                case let .success(entries): respond(.listing(entries, .succeeded, ticket))
                case let .failure(failure): respond(.listing([], .failed(failure), ticket))
                }
            }
        case let .prune(olderThan: time, ticket):
            journal.prune(time) { [respond] outcome in respond(.pruning(olderThan: time, outcome, ticket)) }
        }
    }
}
