import HashTreeCollections
import Khipu

extension Store where State == AppState, Change == AppState.Change {
    /// Shows what a command asks for at once, marked as expected by this command. Its step in the history keeps that.
    @DomainActor
    func expect(_ changes: [Light.Change], of lights: [Light], by ticket: Ticket) {
        expect(lights.map { ($0, changes) }, by: ticket)
    }

    /// The same, with changes of its own for each light.
    @DomainActor
    func expect(_ lights: [(light: Light, changes: [Light.Change])], by ticket: Ticket) {
        let asked = Dictionary(lights.map { ($0.light.id, $0.light.alter(by: $0.changes).values) }) { $1 }
        change(
            lights.map { light, changes in
                .updating(.light(light.id, by: changes + [.expecting(.it(by: ticket, after: light.values))]))
            }
                + [.updating(.history(by: .asking(.values(asked, by: ticket))))])
    }

    /// Before a scene is recalled: what was sent to its lights before is carried out first, and the scene may replace it
    /// with any values. Were it still expected, it would hide what the bridge reports.
    @DomainActor
    func abandonExpectations(of scene: Scene.ID) {
        let lights = (state().lights(of: scene) ?? []).compactMap { state().lights[$0] }
        change(
            lights.compactMap { light in
                light.awaited.map { .updating(.light(light.id, by: [.abandoning(.expectation(of: $0))])) }
            })
    }
}

/// Follows the values that commands have sent until they are settled: confirmed by the bridge, overtaken by a newer
/// command, or given up. A command that failed is given up at once. One that succeeded is given up if nothing confirms
/// it within ``Freshness/confirmationTimeout``, or as soon as only lamps out of reach are left, because nothing but
/// their return confirms it.
struct ExpectationTracker: UseCase {
    enum Request {
        /// The command was answered. Of these lights it expects no values of its own: a scene was recalled, and its
        /// bridge reports what they show. What nobody waits for is settled without a word.
        case settle(Outcome, recalled: [Light.ID] = [], isWaitedFor: Bool = true)
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
        case .settle(.succeeded, recalled: _, isWaitedFor: false):
            clock.wake(Freshness.confirmationTimeout) { abandon(ticket, unheard: true) }
        case let .settle(.succeeded, recalled: recalled, isWaitedFor: true):
            let waiting = expecting(ticket, among: store.state().lights.keys)
            pending.commands[ticket] = (waiting, [], recalled.filter(isUnreachable))
            guard !settleIfDecided(ticket) else { return }
            clock.wake(Freshness.confirmationTimeout) { settle(ticket) }
        case .settle(.failed, _, _): abandon(ticket)
        case .giveUp: abandon(ticket, unheard: true)
        case .check:
            for (ticket, (lights, missed, unreached)) in pending.commands {
                let waiting = expecting(ticket, among: lights)
                let state = store.state()
                let overruled = lights.filter { state.lights[$0]?.isOverruled(since: ticket) == true }
                pending.commands[ticket] = (waiting, missed + overruled, unreached)
                settleIfDecided(ticket)
            }
        }
    }

    /// Shows what the bridge last reported of lights that the command expected to show its values.
    ///
    /// - Parameter unheard: whether it may have been carried out without anybody hearing of it.
    @DomainActor
    private func abandon(_ ticket: Ticket, unheard: Bool = false) {
        let lights = expecting(ticket, among: store.state().lights.keys)
        guard !lights.isEmpty else { return }
        store.change(
            lights.map { .updating(.light($0, by: [.abandoning(.expectation(of: ticket, unheard: unheard))])) })
    }

    /// - Returns: whether nothing is left to wait for.
    @DomainActor
    @discardableResult
    private func settleIfDecided(_ ticket: Ticket) -> Bool {
        guard pending.commands[ticket]?.waiting.allSatisfy(isUnreachable) == true else { return false }
        settle(ticket)
        return true
    }

    @DomainActor
    private func isUnreachable(_ light: Light.ID) -> Bool {
        if case .unreachable? = store.state().lights[light]?.freshness { true } else { false }
    }

    /// Says what became of the command's values: none is expected any more, or the time is up.
    @DomainActor
    private func settle(_ ticket: Ticket) {
        guard let (lights, overruled, recalled) = pending.commands.removeValue(forKey: ticket) else { return }
        let waiting = expecting(ticket, among: lights)
        let unreached = waiting.filter(isUnreachable) + recalled
        let silent = waiting.filter { !isUnreachable($0) }
        let missing = Set(unreached + silent + overruled)
        guard !missing.isEmpty else { return respond(.settled(.succeeded), ticket) }
        // With the lights that were confirmed, the outcome says whether all lights are missing or only some.
        let state = store.state()
        let confirmed = state.lights.values.filter { $0.cause.ticket == ticket && !missing.contains($0.id) }.map(\.id)
        // If all of them fail alike, only the words can name them.
        let names = unreached.compactMap { state.lights[$0].map { "'\($0.name)'" } }.joined(separator: ", ")
        let isAlike = missing.count == unreached.count && confirmed.isEmpty
        func unconfirmed(_ light: Light.ID, _ words: BridgeWords) -> (target: Target, outcome: Outcome) {
            (.light(light), .failed(.unconfirmed(by: light.bridge, words: words)))
        }
        let parts =
            unreached.map { unconfirmed($0, isAlike ? "out of reach: \(names)" : "the lamp is out of reach") }
            + silent.map {
                unconfirmed($0, "the bridge accepted the command, but did not report that the lamp shows it")
            } + overruled.map { unconfirmed($0, "the bridge accepted the command, but the lamp was changed since") }
            + confirmed.map { (.light($0), .succeeded) }
        respond(.settled(.all(parts)), ticket)
    }

    /// Those of the lights that still show an unconfirmed value of this command.
    @DomainActor
    private func expecting(_ ticket: Ticket, among lights: some Sequence<Light.ID>) -> [Light.ID] {
        let state = store.state()
        return lights.filter { state.lights[$0]?.awaited == ticket }
    }

    /// The commands that were answered and are not settled yet: the lights that have not confirmed their values, those
    /// that somebody else has changed since, and those of a scene that were out of reach when it was recalled.
    @DomainActor
    private final class Pending {
        var commands: [Ticket: (waiting: [Light.ID], overruled: [Light.ID], unreached: [Light.ID])] = [:]
        nonisolated init() {}
    }
}

extension Light {
    /// Whether somebody else has changed the light after this command and before it was confirmed.
    fileprivate func isOverruled(since ticket: Ticket) -> Bool {
        guard case .confirmed = freshness else { return false }
        return cause.ticket == nil && cause.time >= ticket.time
    }
}
