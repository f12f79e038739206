import Khipu

/// Appends every message to the journal, lists its entries and deletes old ones.
struct JournalKeeper: UseCase {
    enum Request {
        case record(Message)
        case list(Journal.Filter)
        /// Gives up the list of the ticket.
        case withdraw
        /// The list of the ticket was answered.
        case forget
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
    private let reads = Reads()

    /// What can be withdrawn, by the number of its ticket.
    @DomainActor
    private final class Reads {
        var withdrawals: [UInt64: Journal.Withdrawal] = [:]

        nonisolated init() {}
    }

    init(store: AppStore, journal: Journal, clock: Clock, respond: @escaping Responder<Response>) {
        (self.store, self.journal, self.clock, self.respond) = (store, journal, clock, respond)
    }

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .record(message):
            let (state, time) = (store.state(), clock.now())
            let message = message.condensed(from: state)
            journal.append(message, Journal.Names(of: message, in: state), time)
        case let .list(filter):
            reads.withdrawals[ticket.number] = journal.list(filter) { [respond] result in
                switch result {
                case let .success(entries): respond(.listing(entries, .succeeded), ticket)
                case let .failure(failure): respond(.listing([], .failed(failure)), ticket)
                }
            }
        case .withdraw: reads.withdrawals.removeValue(forKey: ticket.number)?()
        case .forget: reads.withdrawals[ticket.number] = nil
        case let .prune(olderThan: time):
            journal.prune(time) { [respond] outcome in respond(.pruning(olderThan: time, outcome), ticket) }
        }
    }
}
