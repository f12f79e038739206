import Khipu

/// Appends every message to the journal, lists its entries and deletes old ones.
struct JournalKeeper: UseCase {
    enum Request {
        case record(Message)
        case list(Journal.Filter)
        case prune(olderThan: Timestamp)
    }

    enum Response {
        case listing([Journal.Entry], Outcome)
        case pruning(olderThan: Timestamp, Outcome)
    }

    let store: AppStore
    let journal: Journal
    let clock: Clock
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .record(message):
            let (state, time) = (store.state(), clock.now())
            let message = message.condensed(from: state)
            journal.append(message, Journal.Names(of: message, in: state), time)
        case let .list(filter):
            journal.list(filter) { [respond] result in
                switch result {
                case let .success(entries): respond(.listing(entries, .succeeded), ticket)
                case let .failure(failure): respond(.listing([], .failed(failure)), ticket)
                }
            }
        case let .prune(olderThan: time):
            journal.prune(time) { [respond] outcome in respond(.pruning(olderThan: time, outcome), ticket) }
        }
    }
}
