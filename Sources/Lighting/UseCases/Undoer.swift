import HashTreeCollections
public import Khipu

/// Takes commands back, and does them again: each light returns to what it was, unless somebody else has changed it since.
public struct Undoer: UseCase {
    public enum Request {
        case undo(Int, Transition, Ticket)
        case redo(Int, Transition, Ticket)
        /// What became of it: where nothing was done, nothing is undone.
        case note(Ticket, Outcome)
    }

    public enum Response {
        case undoing(Reversal, Outcome, Ticket)
        case redoing(Reversal, Outcome, Ticket)
    }

    private let store: AppStore
    private let stack: LightStack
    private let respond: Output<Response>
    private let before: Memory

    @DomainActor
    public init(store: AppStore, stack: LightStack, responder: @escaping Output<Response>) {
        self.store = store
        self.stack = stack
        self.respond = responder
        before = Memory()
    }

    public func request(to request: Request) {
        let (state, history) = (store.state(), store.state().history)
        switch request {
        case let .undo(count, transition, ticket):
            let steps = Array(history.done.suffix(max(count, 0)).reversed())
            reverse(
                steps.map { ($0.lights, $0.before) },
                .undoing(.steps(steps.count, by: ticket, at: state.lights)), transition, ticket
            ) { [respond] in respond(.undoing($0, $1, ticket)) }
        case let .redo(count, transition, ticket):
            let steps = Array(history.undone.prefix(max(count, 0)))
            reverse(
                steps.map { ($0.lights, history.state(after: $0)) }, .redoing(.steps(steps.count, by: ticket)),
                transition, ticket
            ) { [respond] in respond(.redoing($0, $1, ticket)) }
        case let .note(ticket, outcome):
            let history = before.take(ticket)
            if let history, outcome.failure?.isTotal == true {
                store.change(by: .updating(.history(by: .reverting(.command(ticket, to: history)))))
            }
        }
    }

    /// - Parameter steps: the lights of each and how they are to be, in the order in which one would go step by step.
    @DomainActor
    private func reverse(
        _ steps: [(lights: [Light.ID], state: TreeDictionary<Light.ID, Light>)], _ change: History.Change,
        _ transition: Transition, _ ticket: Ticket, _ reply: @escaping @Sendable (Reversal, Outcome) -> Void
    ) {
        guard !steps.isEmpty else {
            return reply(Reversal(steps: 0), .failed(.nothingToReverse(change.isUndoing ? "undo" : "redo")))
        }
        let ours = store.state().history.tickets
        var orders: [(light: Light, values: Light.Values)] = []
        var skipped: [Reversal.Skipped] = []
        var seen: Set<Light.ID> = []
        for id in steps.flatMap(\.lights) where seen.insert(id).inserted {
            guard let light = store.state().lights[id] else { continue }
            var place = light
            for step in steps where step.lights.contains(id) {
                guard let next = step.state[id], !next.values.agrees(with: place.values) else { continue }
                // Somebody else's change is not ours to take back, nor what lies behind it.
                guard place.isWork(of: ours) else {
                    skipped.append(Reversal.Skipped(id, place.cause))
                    break
                }
                place = next
            }
            if !place.values.agrees(with: light.values) { orders.append((light, place.values)) }
        }
        let reversal = Reversal(steps: steps.count, lights: orders.map(\.light.id), skipped: skipped)
        before.keep(store.state().history, for: ticket)
        store.change(by: .updating(.history(by: change)))
        guard !orders.isEmpty else { return reply(reversal, .succeeded) }
        for (light, values) in orders { store.expect(values.changes(for: light), of: [light], by: ticket) }
        stack.set(orders.map { $0.values.order(for: $0.light) }, transition, ticket) { reply(reversal, $0) }
    }

    /// The history as it was before a command that is not answered yet.
    @DomainActor
    private final class Memory {
        private var histories: [UInt64: History] = [:]

        func keep(_ history: History, for ticket: Ticket) { histories[ticket.number] = history }
        func take(_ ticket: Ticket) -> History? { histories.removeValue(forKey: ticket.number) }
    }
}

extension History.Change {
    fileprivate var isUndoing: Bool { if case .undoing = self { true } else { false } }
}

extension Light {
    /// Whether what it shows is the work of one of these commands.
    fileprivate func isWork(of tickets: Set<UInt64>) -> Bool {
        if case let .expected(by: ticket) = freshness { return tickets.contains(ticket.number) }
        return cause.ticket.map { tickets.contains($0.number) } ?? false
    }
}

extension Light.Values {
    /// Everything that a lamp shows, as changes of it.
    fileprivate func changes(for light: Light) -> [Light.Change] {
        (setting(for: light)?.changes ?? []) + [.turning(.it(power))]
    }

    fileprivate func order(for light: Light) -> DesiredState {
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
