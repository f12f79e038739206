import HashTreeCollections
public import Khipu

/// Records commands as steps that can be undone, with the state from before each of them.
struct HistoryRecorder: UseCase {
    enum Request {
        /// This command is about to be carried out.
        case record(Message.Lighting)
        /// The command was answered, or settled otherwise than it was answered: later commands no longer belong to the
        /// same gesture, unless they name it. If it failed as a whole, it is no step; where it is unconfirmed, it may
        /// still be carried out.
        case close(Outcome)
    }

    typealias Response = Never

    let store: AppStore
    let backup: HistoryBackup

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .record(command):
            let state = store.state()
            guard let lights = state.lights(changedBy: command, ticket.number) else { return }
            let names = Journal.Names(of: .lighting(command, ticket: ticket), in: state)
            let step = History.Step(command, by: ticket, of: lights, before: state.lights, names: names)
            backup.keep(before: ticket)
            store.change(by: .updating(.history(by: .recording(.step(step)))))
        case let .close(outcome): backup.close(ticket, outcome)
        }
    }
}

extension AppState {
    /// The lights that a command changes; `nil` if it cannot be carried out, or cannot be undone.
    func lights(changedBy command: Message.Lighting, _ ticket: UInt64) -> [Light.ID]? {
        switch command {
        case let .turn(_, target, _), let .toggle(target, _):
            try? lights(of: target).map(\.id)
        case let .apply(application, target, _):
            try? settings(of: application, on: target, for: ticket).map(\.light.id)
        case let .increase(value, step, target, _), let .decrease(value, step, target, _):
            try? lights(of: target, ableToStep: value, by: step).map(\.id)
        case let .recall(scene, _):
            lights(of: scene)
        case let .restore(states, _):
            states.compactMap { state in lights[state.light].flatMap { missing(of: state, at: $0) }?.light }.nonEmpty
        default:
            nil
        }
    }
}

extension Array {
    var nonEmpty: Self? { isEmpty ? nil : self }
}

/// The history from before each command that is not answered yet, to return to if the command fails as a whole: then
/// there is nothing to undo, and what could be redone before still can.
@DomainActor
public final class HistoryBackup {
    private let store: AppStore
    private var histories: [UInt64: History] = [:]

    public nonisolated init(_ store: AppStore) { self.store = store }

    /// To be called before the command changes the history.
    func keep(before ticket: Ticket) { histories[ticket.number] = store.state().history }

    /// Takes in how the command ended. The histories to return to learn of failures only: a command whose values were
    /// replaced counts as done, but is not if what replaced them fails.
    func close(_ ticket: Ticket, _ outcome: Outcome) {
        let before = histories.removeValue(forKey: ticket.number)
        if let before, outcome.failure?.isTotal == true {
            store.change(by: .updating(.history(by: .reverting(.command(ticket, to: before)))))
        }
        let closing = History.Change.closing(.step(of: ticket, with: outcome))
        store.change(by: .updating(.history(by: closing)))
        if outcome != .succeeded { histories = histories.mapValues { $0.alter(by: closing) } }
    }
}
