import HashTreeCollections
public import Khipu

/// Sees to it that a wish does not outlive its command: given up at once where the command failed, and after a while where
/// it succeeded but no bridge ever confirmed it.
public struct WishKeeper: UseCase {
    public enum Request {
        case settle(Ticket, Outcome)
        case giveUp(Ticket)
    }

    public enum Response { case expired(Ticket, at: Timestamp) }

    /// A bridge echoes a command within about a second; a busy one takes longer. A fade is echoed at its beginning.
    public static let patience = Duration.seconds(5)

    private let store: AppStore
    private let clock: Clock
    private let respond: Output<Response>

    public init(store: AppStore, clock: Clock, responder: @escaping Output<Response>) {
        self.store = store
        self.clock = clock
        self.respond = responder
    }

    public func request(to request: Request) {
        switch request {
        case let .settle(ticket, .succeeded):
            guard !wishes(of: ticket).isEmpty else { return }
            clock.wake(Self.patience) {
                if !wishes(of: ticket).isEmpty { respond(.expired(ticket, at: clock.now())) }
            }
        case let .settle(ticket, .failed), let .giveUp(ticket):
            store.change(
                wishes(of: ticket).map { .updating(.light($0, by: [.abandoning(.wish(of: ticket))])) }
            )
        }
    }

    @DomainActor
    private func wishes(of ticket: Ticket) -> [Light.ID] {
        store.state().lights.values.filter { $0.isWish(of: ticket) }.map(\.id)
    }
}

extension Light {
    fileprivate func isWish(of ticket: Ticket) -> Bool {
        switch freshness {
        case let .expected(by: other): other == ticket
        // A lamp out of reach shows no wish as its freshness; what was wished for it goes with the command.
        case .unreachable, .stale: values != reported
        case .confirmed: false
        }
    }
}
