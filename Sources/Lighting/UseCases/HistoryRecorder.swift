import HashTreeCollections
import Khipu

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
