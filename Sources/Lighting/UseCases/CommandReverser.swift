import HashTreeCollections
import Khipu

/// Undoes commands and redoes them: each light returns to what it was, unless somebody else has changed it since. A
/// light at which the command may still be carried out is sent its values whatever it shows now, also if it is left as
/// it is: they replace those that wait for it.
struct CommandReverser: UseCase {
    enum Request {
        case undo(Int, Transition)
        case redo(Int, Transition)
    }

    enum Response {
        case undoing(Reversal, Outcome)
        case redoing(Reversal, Outcome)
    }

    let store: AppStore
    let stack: LightStack
    let respond: Responder<Response>
    let backup: HistoryBackup

    func request(to request: Request, ticket: Ticket) {
        let (state, history) = (store.state(), store.state().history)
        switch request {
        case let .undo(count, transition):
            let steps = Array(history.done.suffix(max(count, 0)).reversed())
            reverse(
                steps.map { ($0, $0.before) },
                .undoing(.steps(steps.count, by: ticket, at: state.lights)), transition, ticket
            ) { [respond] in respond(.undoing($0, $1), ticket) }
        case let .redo(count, transition):
            let steps = Array(history.undone.prefix(max(count, 0)))
            reverse(
                steps.map { ($0, history.state(after: $0)) }, .redoing(.steps(steps.count, by: ticket)),
                transition, ticket
            ) { [respond] in respond(.redoing($0, $1), ticket) }
        }
    }

    /// - Parameter steps: each step and the state to return its lights to, in the order of going step by step.
    @DomainActor
    private func reverse(
        _ steps: [(step: History.Step, state: TreeDictionary<Light.ID, Light>)], _ change: History.Change,
        _ transition: Transition, _ ticket: Ticket, _ reply: @escaping @Sendable (Reversal, Outcome) -> Void
    ) {
        guard !steps.isEmpty else {
            return reply(Reversal(steps: 0), .failed(.nothingToReverse(change.isUndoing ? "undo" : "redo")))
        }
        let ours = store.state().history.tickets
        var returns: [(light: Light, values: Light.Values)] = []
        var skipped: [Reversal.Skipped] = []
        var seen: Set<Light.ID> = []
        let unconfirmed = steps.reduce(into: Set()) { $0.formUnion($1.step.unconfirmed) }
        for id in steps.flatMap(\.step.lights) where seen.insert(id).inserted {
            guard let light = store.state().lights[id] else { continue }
            var place = light
            for (step, state) in steps where step.lights.contains(id) {
                guard let next = state[id], !next.values.agrees(with: place.values) else { continue }
                // A change by somebody else is not undone, nor is what lies before it.
                guard place.wasSet(byOneOf: ours) else {
                    skipped.append(Reversal.Skipped(id, place.cause))
                    break
                }
                place = next
            }
            if unconfirmed.contains(id) || !place.values.agrees(with: light.values) {
                returns.append((light, place.values))
            }
        }
        let reversal = Reversal(steps: steps.count, lights: returns.map(\.light.id), skipped: skipped)
        backup.keep(before: ticket)
        store.change(by: .updating(.history(by: change)))
        guard !returns.isEmpty else { return reply(reversal, .succeeded) }
        for (light, values) in returns { store.expect(values.changes(for: light), of: [light], by: ticket) }
        stack.set(returns.map { $0.values.desired(for: $0.light) }, transition, ticket) { reply(reversal, $0) }
    }
}

extension History.Change {
    fileprivate var isUndoing: Bool { if case .undoing = self { true } else { false } }
}

extension Light {
    /// Whether one of these commands set the light to what it shows.
    fileprivate func wasSet(byOneOf tickets: Set<UInt64>) -> Bool {
        if case let .expected(by: ticket) = freshness { return tickets.contains(ticket.number) }
        return cause.ticket.map { tickets.contains($0.number) } ?? false
    }
}

extension Light.Values {
    fileprivate func changes(for light: Light) -> [Light.Change] {
        (setting(for: light)?.changes ?? []) + [.turning(.it(power))]
    }

    fileprivate func desired(for light: Light) -> DesiredState {
        DesiredState(light.id, power: power, setting: setting(for: light))
    }

    private func setting(for light: Light) -> Light.Setting? {
        let level = light.limits.dims ? brightness : nil
        return switch mode {
        case .hsb where light.can(.hsb(0, 0, 0)): .hsb(hue: hue, saturation: saturation, brightness: level)
        case .ct where light.can(.ct(temperature)): .ct(temperature, brightness: level)
        default: level.map { .bri($0) }
        }
    }
}
