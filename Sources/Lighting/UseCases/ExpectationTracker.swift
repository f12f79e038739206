import HashTreeCollections
public import Khipu

/// Sees to it that a wish does not outlive its command, and tells when all that a command wished for has come to an end: confirmed,
/// overtaken, or given up. Given up at once where the command failed, and after a while where it succeeded but no bridge ever
/// confirmed it.
public struct ExpectationTracker: UseCase {
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
    public static let timeout = Duration.seconds(8)

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
            open.tickets[ticket] = (waiting, [])
            clock.wake(Self.timeout) { call(off: ticket) }
        case let .settle(ticket, .failed), let .giveUp(ticket):
            let wishes = wishes(of: ticket, among: store.state().lights.keys)
            store.change(wishes.map { .updating(.light($0, by: [.abandoning(.expectation(of: ticket))])) })
        case .look:
            for (ticket, (lights, missed)) in open.tickets {
                let waiting = wishes(of: ticket, among: lights)
                let state = store.state()
                let overruled = lights.filter { state.lights[$0]?.isOverruled(since: ticket) == true }
                open.tickets[ticket] = (waiting, missed + overruled)
                if waiting.isEmpty { settle(ticket) }
            }
        }
    }

    @DomainActor
    private func call(off ticket: Ticket) {
        if open.tickets[ticket] != nil { settle(ticket) }
    }

    /// All that was wished has come to an end, or its time is over.
    @DomainActor
    private func settle(_ ticket: Ticket) {
        guard let (waiting, overruled) = open.tickets.removeValue(forKey: ticket) else { return }
        let silent = wishes(of: ticket, among: waiting)
        guard !silent.isEmpty || !overruled.isEmpty else { return respond(.settled(ticket, .succeeded)) }
        func missed(_ light: Light.ID, _ words: String) -> (target: Target, outcome: Outcome) {
            (.light(light), .failed(.unconfirmed(by: light.bridge, words: words)))
        }
        let missing =
            silent.map { missed($0, "the bridge took it, and did not tell that the lamp shows it") }
            + overruled.map { missed($0, "the bridge took it, and somebody else has changed the lamp since") }
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
        var tickets: [Ticket: (waiting: [Light.ID], overruled: [Light.ID])] = [:]
    }
}

extension Light {
    /// Whether somebody else's doing took the place of what this command wished, before it was confirmed.
    fileprivate func isOverruled(since ticket: Ticket) -> Bool {
        guard case .confirmed = freshness else { return false }
        return cause.ticket == nil && cause.time >= ticket.time
    }

    fileprivate func isWish(of ticket: Ticket) -> Bool {
        switch freshness {
        case let .expected(by: other): other == ticket
        // A lamp out of reach shows no wish as its freshness; what was wished for it goes with the command.
        case .unreachable, .stale: values != reported
        case .confirmed: false
        }
    }
}
