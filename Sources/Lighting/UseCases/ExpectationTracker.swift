import HashTreeCollections
import Khipu

/// Follows the values that commands have sent until they are settled: confirmed by the bridge, overtaken by a newer
/// command, or given up. A command that failed is given up at once, one that succeeded if nothing confirms it within
/// ``Freshness/confirmationTimeout``.
struct ExpectationTracker: UseCase {
    enum Request {
        /// The command was answered.
        case settle(Outcome)
        /// A bridge has reported something that may confirm expected values.
        case check
        /// The command's values were not confirmed: show what the bridge last reported.
        case giveUp
    }

    enum Response { case settled(Outcome) }

    let store: AppStore
    let clock: Clock
    let respond: Responder<Response>
    private let pending = Pending()

    init(store: AppStore, clock: Clock, respond: @escaping Responder<Response>) {
        self.store = store
        self.clock = clock
        self.respond = respond
    }

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case .settle(.succeeded):
            let waiting = expecting(ticket, among: store.state().lights.keys)
            guard !waiting.isEmpty else { return respond(.settled(.succeeded), ticket) }
            pending.commands[ticket] = (waiting, [])
            clock.wake(Freshness.confirmationTimeout) { settle(ticket) }
        case .settle(.failed), .giveUp:
            let lights = expecting(ticket, among: store.state().lights.keys)
            store.change(lights.map { .updating(.light($0, by: [.abandoning(.expectation(of: ticket))])) })
        case .check:
            for (ticket, (lights, missed)) in pending.commands {
                let waiting = expecting(ticket, among: lights)
                let state = store.state()
                let overruled = lights.filter { state.lights[$0]?.isOverruled(since: ticket) == true }
                pending.commands[ticket] = (waiting, missed + overruled)
                if waiting.isEmpty { settle(ticket) }
            }
        }
    }

    /// Says what became of the command's values: none is expected any more, or the time is up.
    @DomainActor
    private func settle(_ ticket: Ticket) {
        guard let (lights, overruled) = pending.commands.removeValue(forKey: ticket) else { return }
        let silent = expecting(ticket, among: lights)
        guard !silent.isEmpty || !overruled.isEmpty else { return respond(.settled(.succeeded), ticket) }
        func unconfirmed(_ light: Light.ID, _ words: String) -> (target: Target, outcome: Outcome) {
            (.light(light), .failed(.unconfirmed(by: light.bridge, words: words)))
        }
        let missing =
            silent.map { unconfirmed($0, "the bridge accepted the command, but did not report that the lamp shows it") }
            + overruled.map { unconfirmed($0, "the bridge accepted the command, but the lamp was changed since") }
        // With the lights that were confirmed, the outcome says whether all lights are missing or only some.
        let confirmed = store.state().lights.values.filter { $0.cause.ticket == ticket }.map { light in
            (target: Target.light(light.id), outcome: Outcome.succeeded)
        }
        respond(.settled(.all(missing + confirmed)), ticket)
    }

    /// Those of the lights that still show an unconfirmed value of this command.
    @DomainActor
    private func expecting(_ ticket: Ticket, among lights: some Sequence<Light.ID>) -> [Light.ID] {
        let state = store.state()
        return lights.filter { state.lights[$0]?.isExpecting(ticket) == true }
    }

    /// The commands that were answered and are not settled yet: the lights that have not confirmed their values, and
    /// those that somebody else has changed since.
    @DomainActor
    private final class Pending {
        var commands: [Ticket: (waiting: [Light.ID], overruled: [Light.ID])] = [:]
        nonisolated init() {}
    }
}

extension Light {
    /// Whether somebody else has changed the light after this command and before it was confirmed.
    fileprivate func isOverruled(since ticket: Ticket) -> Bool {
        guard case .confirmed = freshness else { return false }
        return cause.ticket == nil && cause.time >= ticket.time
    }

    fileprivate func isExpecting(_ ticket: Ticket) -> Bool {
        switch freshness {
        case let .expected(by: other): other == ticket
        case .unreachable, .stale: known.pending?.ticket == ticket
        case .confirmed: false
        }
    }
}
