import HashTreeCollections
import Khipu

/// Does what is pressed and turned at bound switches.
struct SwitchOperator: UseCase {
    enum Request { case follow(Sensor.ID, Sensor.Report) }

    enum Response {
        /// With a ticket of its own; those of one press or turn name one gesture.
        case command(Message.Lighting)
        case missed(SwitchBinding, because: Failure)
    }

    let store: AppStore
    let tickets: TicketIssuer
    let respond: Responder<Response>
    private let running = Running()

    init(store: AppStore, tickets: @escaping TicketIssuer, respond: @escaping Responder<Response>) {
        self.store = store
        self.tickets = tickets
        self.respond = respond
    }

    func request(to request: Request, ticket: Ticket) {
        let state = store.state()
        guard case let .follow(id, report) = request, let binding = state.bindings[id],
            report.press != nil || report.rotation != nil
        else { return }
        var gestures = running.gestures[id] ?? SwitchGestures()
        defer { running.gestures[id] = gestures }
        let lights: SwitchGestures.Lights
        do {
            lights = try state.lights(for: binding)
        } catch {
            // Once for a press, not for each of its events.
            let isNew = report.press.map { $0.kind == .pressed } ?? gestures.isFirstTurn(at: ticket.time)
            if isNew { respond(.missed(binding, because: error), ticket) }
            _ = report.rotation.map { gestures.turned(by: $0, at: ticket.time, .none) }
            return
        }
        var actions: [SwitchGestures.Action?] = []
        if let press = report.press, let role = state.sensors[id]?.role(of: press.button) {
            actions.append(gestures.told(press, as: role, at: ticket.time, lights))
        }
        if let steps = report.rotation {
            actions.append(gestures.turned(by: steps, at: ticket.time, lights))
        }
        for action in actions.compactMap(\.self) {
            let command = action.command(on: binding.target, scenes: state.scenes(of: binding))
            respond(
                .command(command), tickets("switch '\(state.name(of: binding))'", ticket.time, gestures.gesture))
        }
    }

    /// What is under way at each switch: forgotten when lightd ends, as a finger leaves a button.
    @DomainActor
    private final class Running {
        var gestures: [Sensor.ID: SwitchGestures] = [:]
        nonisolated init() {}
    }
}

extension AppState {
    fileprivate func lights(for binding: SwitchBinding) throws(Failure) -> SwitchGestures.Lights {
        let all = try lights(of: binding.target)
        // A lamp without power is neither seen nor does it count.
        let powered = all.filter { !$0.isUnavailable }
        let lights = powered.isEmpty ? all : powered
        let lit = lights.filter { $0.power == .on }
        let dimmed = lit.filter(\.limits.dims)
        return SwitchGestures.Lights(
            areAnyOn: !lit.isEmpty, areAllOn: lit.count == lights.count,
            mean: dimmed.isEmpty ? nil : RoomRatios(of: dimmed, for: 0).mean, scenes: scenes(of: binding).count)
    }
}

extension SwitchGestures.Lights {
    fileprivate static let none = Self(areAnyOn: false, areAllOn: false, mean: nil, scenes: 0)
}

extension SwitchGestures.Action {
    fileprivate func command(on target: Target, scenes: [Scene.ID]) -> Message.Lighting {
        switch self {
        case let .turn(turn): .turn(turn, target, over: .usual)
        case let .recall(number): .recall(scenes[number], over: .usual)
        case let .mean(brightness, over: time): .apply(.mean(brightness: brightness), on: target, over: time)
        }
    }
}
