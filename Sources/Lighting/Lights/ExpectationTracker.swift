import HashTreeCollections
import Khipu

/// Follows the values that commands have sent until they are settled: confirmed by the bridge, overtaken by a newer
/// command, or given up. Where a command failed, it is given up at once. Where it was accepted, it is given up if nothing
/// confirms it within ``Freshness/confirmationTimeout``, or as soon as only lamps out of reach are left, because nothing
/// but their return confirms it.
struct ExpectationTracker: UseCase {
    enum Request {
        /// The command was answered. What nobody waits for, and what failed as a whole, is settled without a word.
        case settle(Outcome, isWaitedFor: Bool = true)
        /// A bridge has reported something that may confirm expected values.
        case check
        /// The command is settled. Where its values were not confirmed: show what the bridge last reported.
        case end
    }

    enum Response { case settled(Outcome) }

    let store: AppStore
    let commands: CommandsUnderWay
    let clock: Clock
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .settle(outcome, isWaitedFor: isWaitedFor):
            let plan = commands[ticket]?.plan
            let changed = plan?.changedLights ?? []
            let accepted = Set(outcome.successes(among: changed))
            abandon(changed.filter { !accepted.contains($0) }, of: ticket)
            guard outcome.failure?.isPartial ?? true else { return end(ticket) }
            guard isWaitedFor else {
                return clock.wake(Freshness.confirmationTimeout) { end(ticket, unheard: true) }
            }
            guard let plan else { return respond(.settled(.succeeded), ticket) }
            // A scene's lights expect no values of its own: its bridge reports what they show.
            commands[ticket]?.unsettled = .init(
                waiting: expecting(ticket, among: changed),
                unreached: plan.recalled.filter { accepted.contains($0) && isUnreachable($0) },
                failed: outcome.failure?.parts ?? [])
            guard !settleIfDecided(ticket) else { return }
            clock.wake(Freshness.confirmationTimeout) { settle(ticket) }
        case .end: end(ticket, unheard: true)
        case .check:
            let state = store.state()
            for (ticket, unsettled) in commands.unsettled {
                let overruled = unsettled.waiting.filter { state.lights[$0]?.isOverruled(since: ticket) == true }
                commands[ticket]?.unsettled?.waiting = expecting(ticket, among: unsettled.waiting)
                commands[ticket]?.unsettled?.overruled += overruled
                settleIfDecided(ticket)
            }
        }
    }

    /// Nothing is expected of the command any more: lights that did not confirm its values show what their bridge last
    /// reported.
    ///
    /// - Parameter unheard: whether it may have been carried out without anybody hearing of it.
    @DomainActor
    private func end(_ ticket: Ticket, unheard: Bool = false) {
        abandon(commands[ticket]?.plan.changedLights ?? [], of: ticket, unheard: unheard)
        commands[ticket] = nil
    }

    @DomainActor
    private func abandon(_ lights: [Light.ID], of ticket: Ticket, unheard: Bool = false) {
        let lights = expecting(ticket, among: lights)
        guard !lights.isEmpty else { return }
        store.change(
            lights.map { .updating(.light($0, by: [.abandoning(.expectation(of: ticket, unheard: unheard))])) })
    }

    /// - Returns: whether nothing is left to wait for.
    @DomainActor
    @discardableResult
    private func settleIfDecided(_ ticket: Ticket) -> Bool {
        guard commands[ticket]?.unsettled?.waiting.allSatisfy(isUnreachable) == true else { return false }
        settle(ticket)
        return true
    }

    @DomainActor
    private func isUnreachable(_ light: Light.ID) -> Bool {
        if case .unreachable? = store.state().lights[light]?.freshness { true } else { false }
    }

    /// Says what became of the values that were accepted: none is expected any more, or the time is up. If some were not
    /// confirmed, it also names what has failed before.
    @DomainActor
    private func settle(_ ticket: Ticket) {
        guard let command = commands[ticket], let unsettled = command.unsettled else { return }
        commands[ticket]?.unsettled = nil
        let (waiting, overruled) = (expecting(ticket, among: unsettled.waiting), unsettled.overruled)
        let unreached = waiting.filter(isUnreachable) + unsettled.unreached
        let silent = waiting.filter { !isUnreachable($0) }
        let missing = Set(unreached + silent + overruled)
        guard !missing.isEmpty else { return respond(.settled(.succeeded), ticket) }
        // With the lights that were confirmed, the outcome says whether all lights are missing or only some.
        let state = store.state()
        let confirmed = command.plan.changedLights.filter {
            state.lights[$0]?.cause.ticket == ticket && !missing.contains($0)
        }
        // If all of them fail alike, only the words can name them.
        let names = unreached.compactMap { state.lights[$0].map { "'\($0.name)'" } }.joined(separator: ", ")
        let isAlike = missing.count == unreached.count && confirmed.isEmpty && unsettled.failed.isEmpty
        func unconfirmed(_ light: Light.ID, _ words: BridgeWords) -> (target: Target, outcome: Outcome) {
            (.light(light), .failed(.unconfirmed(by: light.bridge, words: words)))
        }
        let parts =
            unreached.map { unconfirmed($0, isAlike ? "out of reach: \(names)" : "the lamp is out of reach") }
            + silent.map {
                unconfirmed($0, "the bridge accepted the command, but did not report that the lamp shows it")
            } + overruled.map { unconfirmed($0, "the bridge accepted the command, but the lamp was changed since") }
            + confirmed.map { (.light($0), .succeeded) } + unsettled.failed.map { ($0.target, .failed($0.failure)) }
        respond(.settled(.all(parts)), ticket)
    }

    /// Those of the lights that still show an unconfirmed value of this command.
    @DomainActor
    private func expecting(_ ticket: Ticket, among lights: [Light.ID]) -> [Light.ID] {
        let state = store.state()
        return lights.filter { state.lights[$0]?.awaited == ticket }
    }
}

extension Light {
    /// Whether somebody else has changed the light after this command and before it was confirmed.
    fileprivate func isOverruled(since ticket: Ticket) -> Bool {
        guard case .confirmed = freshness else { return false }
        return cause.ticket == nil && cause.time >= ticket.time
    }
}
