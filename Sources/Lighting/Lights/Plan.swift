import HashTreeCollections
import Khipu

/// What one command changes, decided once, before anything does. Its values are absolute: nothing computes them again.
/// What is sent, expected, undone, taken over from a curve and answered follows from it. It ends at ``LightStack``: a
/// queue may deliver it in other pieces, but never with other values.
struct Plan: Equatable, Sendable {
    let transition: Transition
    /// The lights that can take it, in the order of the target: two commands in a row are one gesture only if their
    /// lights are equal, in order.
    var lights: [PlannedLight] = []
    /// Recalled first, or ended, one after the other. What they set, only their bridge knows.
    var scenes: [RecalledScene] = []
    /// The lights that these scenes set, as far as that is known, and that are sent nothing else. Each once.
    var recalled: [Light.ID] = []
    /// Lights for which the command fails, and which are sent nothing.
    var refused: [Failure.Part] = []
    /// What a toggle came to.
    var turn: Turn?
    let effect: Effect

    /// What becomes of the history.
    enum Effect: Equatable, Sendable {
        /// A step of what lights follow: what was done before goes on.
        case none
        case records
        case undoes(Reversal)
        case redoes(Reversal)
    }

    /// Those of its lights that are sent something.
    var changing: [PlannedLight] { lights.filter { $0.sent != nil } }

    /// What goes to ``LightStack``, after its scenes.
    var sent: [DesiredState] { lights.compactMap(\.sent) }

    /// The lights that are sent something or set by a scene.
    var changedLights: [Light.ID] { changing.map(\.id) + recalled }

    /// How the command ends if what is sent ends like this.
    func outcome(of sent: Outcome) -> Outcome {
        guard !refused.isEmpty else { return sent }
        let shown = lights.filter { $0.sent == nil }
        return .all(
            sent.parts(for: changedLights) + shown.map { (.light($0.id), .succeeded) }
                + refused.map { ($0.target, .failed($0.failure)) })
    }
}

/// What a command changes at one light.
struct PlannedLight: Equatable, Sendable {
    let id: Light.ID
    /// What goes out: a whole colour, with the turning on that values need, and not limited to what this lamp can show,
    /// so that equal wishes stay equal. `nil` if the lamp shows it already.
    let sent: DesiredState?
    /// What it is to show, within what it can.
    let after: Light.Values
    /// The values that the command names, also where nothing is sent: what else is sent only goes with them.
    let named: Set<FollowedValue>
    /// Its place among the lights whose ratios are kept.
    let ratio: Light.Ratio?

    init(_ light: Light, sent: DesiredState?, named: Set<FollowedValue> = [], ratio: Light.Ratio? = nil) {
        (id, self.sent, self.named, self.ratio) = (light.id, sent, named, ratio)
        after = light.alter(by: sent?.values.changes ?? []).values
    }

    /// The changes by which a light shows at once what it is sent, marked as expected by this command.
    func changes(of light: Light, by ticket: Ticket) -> [Light.Change] {
        (sent?.values.changes ?? []) + (ratio.map { [.balancing(.it($0))] } ?? [])
            + [.expecting(.it(by: ticket, after: light.values))]
    }
}

extension AppState {
    /// What a command changes; `nil` if it is none that changes what lights show.
    ///
    /// - Throws: why it changes nothing.
    func plan(_ command: Message.Lighting, by ticket: Ticket) throws(Failure) -> Plan? {
        guard var plan = try planOfRead(command, by: ticket) else { return nil }
        if command.isForAll { plan.refused += unreadParts }
        return plan
    }

    /// For the lights that lightd has read since it started.
    private func planOfRead(_ command: Message.Lighting, by ticket: Ticket) throws(Failure) -> Plan? {
        switch command {
        case let .turn(turn, target, over: time):
            Plan(transition: time, lights: try turned(turn, target), effect: .records)
        case let .toggle(target, over: time):
            try toggled(target, over: time)
        case let .apply(change, on: target, over: time):
            Plan(transition: time, lights: try set(change, on: target, for: ticket.number), effect: .records)
        case let .increase(value, by: step, on: target, over: time):
            Plan(transition: time, lights: try stepped(value, by: step, on: target), effect: .records)
        case let .decrease(value, by: step, on: target, over: time):
            Plan(transition: time, lights: try stepped(value, by: step.reversed, on: target), effect: .records)
        case let .restore(states, over: time): restored(to: states, over: time, isByHand: ticket.isOwn != true)
        case let .follow(states, over: time):
            Plan(
                transition: time,
                lights: states.compactMap { state in lights[state.light].map { PlannedLight($0, sent: state) } },
                effect: .none)
        case let .recall(scene, over: time, moving: motion):
            try recalled(RecalledScene(scene, motion: motion), over: time)
        case let .undo(count, downTo: nil, over: time): try undone(count, over: time)
        case let .undo(_, downTo: first?, over: time): try undone(downTo: first, by: ticket.holder, over: time)
        case let .redo(count, over: time): try redone(count, over: time)
        default: nil
        }
    }
}

extension Message.Lighting {
    /// Whether it changes all lights of the home.
    fileprivate var isForAll: Bool {
        switch self {
        case .turn(_, .all, _), .toggle(.all, _), .apply(_, on: .all, _), .increase(_, _, on: .all, _),
            .decrease(_, _, on: .all, _):
            true
        default: false
        }
    }
}
