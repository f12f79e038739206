import HashTreeCollections
public import Khipu

/// Sees to it that a wish does not outlive its command, and tells when all that a command wished for has come to an end: confirmed,
/// overtaken, or given up. Given up at once where the command failed, and after a while where it succeeded but no bridge ever
/// confirmed it.
public struct WishKeeper: UseCase {
    public enum Request {
        /// A command was answered.
        case settle(Ticket, Outcome)
        /// A bridge told something: what waited for it may be confirmed.
        case look
        /// What the command wished for has had its time.
        case giveUp(Ticket)
    }

    public enum Response { case settled(Ticket, Outcome) }

    /// A bridge echoes a command within about a second. Where it does not, the lamp is read after that, and asked once more: all
    /// this takes its time on a busy bridge. A fade is echoed at its beginning.
    public static let patience = Duration.seconds(8)

    private let store: AppStore
    private let clock: Clock
    private let respond: Output<Response>
    private let open: Open

    @DomainActor
    public init(store: AppStore, clock: Clock, responder: @escaping Output<Response>) {
        self.store = store
        self.clock = clock
        self.respond = responder
        open = Open()
    }

    public func request(to request: Request) {
        switch request {
        case let .settle(ticket, .succeeded):
            let waiting = wishes(of: ticket, among: store.state().lights.keys)
            guard !waiting.isEmpty else { return respond(.settled(ticket, .succeeded)) }
            open.tickets[ticket] = waiting
            clock.wake(Self.patience) { call(off: ticket) }
        case let .settle(ticket, .failed), let .giveUp(ticket):
            let wishes = wishes(of: ticket, among: store.state().lights.keys)
            store.change(wishes.map { .updating(.light($0, by: [.abandoning(.wish(of: ticket))])) })
        case .look:
            for (ticket, lights) in open.tickets {
                let waiting = wishes(of: ticket, among: lights)
                open.tickets[ticket] = waiting.isEmpty ? nil : waiting
                if waiting.isEmpty { respond(.settled(ticket, .succeeded)) }
            }
        }
    }

    @DomainActor
    private func call(off ticket: Ticket) {
        guard let waiting = open.tickets.removeValue(forKey: ticket) else { return }
        let missing = wishes(of: ticket, among: waiting).map { light in
            (
                target: Target.light(light),
                outcome: Outcome.failed(
                    .unconfirmed(by: light.bridge, words: "the bridge took it, and did not tell that the lamp shows it")
                )
            )
        }
        // What was confirmed of the same command, so that some is told from all.
        let confirmed = store.state().lights.values.filter { $0.cause.ticket == ticket }.map { light in
            (target: Target.light(light.id), outcome: Outcome.succeeded)
        }
        respond(.settled(ticket, .all(missing + confirmed)))
    }

    @DomainActor
    private func wishes(of ticket: Ticket, among lights: some Sequence<Light.ID>) -> [Light.ID] {
        let state = store.state()
        return lights.filter { state.lights[$0]?.isWish(of: ticket) == true }
    }

    /// The commands whose wishes are under way, and the lights that have not confirmed them.
    @DomainActor
    private final class Open {
        var tickets: [Ticket: [Light.ID]] = [:]
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
