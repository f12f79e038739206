import HashTreeCollections
import Khipu

/// The result of undo or redo: which lights were changed back, and which were left as they are.
public struct Reversal: Equatable, Codable, Sendable {
    /// How many commands were undone or redone.
    public let steps: Int
    public let lights: [Light.ID]
    public let skipped: [Skipped]
    /// The scenes that were recalled again.
    public let scenes: [Scene.ID]?

    /// A light that somebody else has changed since.
    public struct Skipped: Equatable, Codable, Sendable {
        public let light: Light.ID
        public let cause: Cause

        public init(_ light: Light.ID, _ cause: Cause) {
            self.light = light
            self.cause = cause
        }
    }

    public init(steps: Int, lights: [Light.ID] = [], skipped: [Skipped] = [], scenes: [Scene.ID]? = nil) {
        self.steps = steps
        self.lights = lights
        self.skipped = skipped
        self.scenes = scenes
    }
}

/// Undoes commands and redoes them: each light returns to what it was, unless somebody else has changed it since. A
/// light at which the command may still be carried out is sent its values whatever it shows now, also if it is left as
/// it is: they replace those that wait for it. A light whose bridge has not been read since lightd started fails; if no
/// other light is left, nothing is undone. A scene that was undone before its lights showed it is recalled again.
struct CommandReverser: UseCase {
    enum Request {
        /// So many commands, or the one with this ticket's number and all that its holder has sent since.
        case undo(Int, downTo: UInt64?, Transition)
        case redo(Int, Transition)
    }

    enum Response {
        case undoing(Reversal, Outcome)
        case redoing(Reversal, Outcome)
    }

    let commands: CommandsUnderWay
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .undo(count, downTo: first, transition):
            commands.carryOut(.undo(count, downTo: first, over: transition), ticket) { [respond] plan, outcome in
                respond(.undoing(plan?.reversal ?? Reversal(steps: 0), outcome), ticket)
            }
        case let .redo(count, transition):
            commands.carryOut(.redo(count, over: transition), ticket) { [respond] plan, outcome in
                respond(.redoing(plan?.reversal ?? Reversal(steps: 0), outcome), ticket)
            }
        }
    }
}

extension Plan {
    fileprivate var reversal: Reversal? {
        switch effect {
        case let .undoes(reversal), let .redoes(reversal): reversal
        case .none, .records: nil
        }
    }
}

/// A step to go back or forth by.
private struct Leg {
    let step: History.Step
    /// What its lights return to.
    let states: [Light.ID: Light.Snapshot]
    /// What they are to show instead: only its bridge knows.
    var scene: RecalledScene?
    /// The smart scene that is to recall no more scenes.
    var ended: Scene.ID?
}

extension AppState {
    func undone(_ count: Int, over transition: Transition) throws(Failure) -> Plan {
        try undone(history.done.suffix(max(count, 0)), over: transition)
    }

    func undone(downTo first: UInt64, by holder: String, over transition: Transition) throws(Failure) -> Plan {
        try undone(history.steps(downTo: first, by: holder), over: transition)
    }

    /// - Parameter steps: the newest ones, oldest first.
    private func undone(_ steps: some BidirectionalCollection<History.Step>, over transition: Transition)
        throws(Failure) -> Plan
    {
        guard !steps.isEmpty else { throw .nothingToReverse("undo") }
        let legs = steps.reversed().map { step in
            Leg(
                step: step, states: step.before,
                ended: smartScene(activatedBy: step).flatMap { isActive($0) ? $0 : nil })
        }
        return try reversed(by: legs, over: transition) { .undoes($0) }
    }

    func redone(_ count: Int, over transition: Transition) throws(Failure) -> Plan {
        let steps = history.undone.prefix(max(count, 0))
        guard !steps.isEmpty else { throw .nothingToReverse("redo") }
        let legs = steps.map { Leg(step: $0, states: history.result(of: $0), scene: sceneToRecall(of: $0)) }
        return try reversed(by: legs, over: transition) { .redoes($0) }
    }

    private func isActive(_ scene: Scene.ID) -> Bool { scenes[scene]?.smart?.isActive ?? false }

    /// The scene by which a step is done again; `nil` if its lights can return to what they showed, or if somebody else
    /// has changed one of them since.
    private func sceneToRecall(of step: History.Step) -> RecalledScene? {
        let smart = smartScene(activatedBy: step).map { RecalledScene($0) }
        guard let scene = smart ?? step.unshownScene, scenes[scene.id] != nil else { return nil }
        let ours = history.commands
        let isOverruled = step.lights.contains { id in
            guard let light = lights[id]?.snapshot else { return false }
            return !light.wasSet(byOneOf: ours) && light.cause != step.before[id]?.cause
        }
        return isOverruled ? nil : scene
    }

    /// - Parameter legs: in the order of going step by step.
    private func reversed(
        by legs: [Leg], over transition: Transition, _ effect: (Reversal) -> Plan.Effect
    ) throws(Failure) -> Plan {
        let ours = history.commands
        var (planned, unread): ([PlannedLight], [Failure.Part]) = ([], [])
        var skipped: [Reversal.Skipped] = []
        var recalled: [Light.ID] = []
        let unconfirmed = legs.reduce(into: Set()) { $0.formUnion($1.step.unsettled(showing: lights)) }
        for id in legs.flatMap(\.step.lights).unique {
            guard let light = lights[id] else {
                if unreadLights[id] != nil {
                    unread.append(Failure.Part(.light(id), missingConnection(to: id.bridge)))
                }
                continue
            }
            let now = light.snapshot
            var place = now
            var isRecalled = false
            for leg in legs {
                guard leg.scene == nil || !leg.step.lights.contains(id) else {
                    isRecalled = true
                    continue
                }
                guard let next = leg.states[id], isRecalled || !next.values.isSame(as: place.values) else { continue }
                // A change by somebody else is not undone, nor is what lies before it. A light that never showed the
                // command is as it was before.
                // Nor is one whose power has returned while the command waits for it changed by somebody.
                let isAwaited = place.cause.kind == .power && leg.step.unconfirmed.contains(id)
                guard place.wasSet(byOneOf: ours) || place.cause == leg.step.before[id]?.cause || isAwaited else {
                    skipped.append(Reversal.Skipped(id, place.cause))
                    break
                }
                place = next
                isRecalled = false
            }
            if isRecalled {
                recalled.append(id)
            } else if unconfirmed.contains(id) || !place.values.isSame(as: now.values) {
                let whole = place.values.desired(for: light)
                // What it shows is not sent again: an effect would begin anew. Unless the command may still change that.
                let isInDoubt = unconfirmed.contains(id) || light.isUnavailable
                let missing = isInDoubt ? nil : light.missing(of: whole, showing: now.values)
                planned.append(PlannedLight(light, sent: missing ?? whole))
            }
        }
        let changed = planned.map(\.id) + recalled
        let ended = legs.compactMap(\.ended).map { RecalledScene($0, isEnding: true) }
        if changed.isEmpty, ended.isEmpty,
            let failure = Outcome.all(unread.map { ($0.target, .failed($0.failure)) }).failure
        {
            throw failure
        }
        let scenes = recalled.isEmpty ? [] : legs.compactMap(\.scene)
        var others = Set(planned.map(\.id))
        let setByScenes = scenes.flatMap { self.lights(of: $0.id) ?? [] }.filter { others.insert($0).inserted }
        let reversal = Reversal(steps: legs.count, lights: changed, skipped: skipped, scenes: scenes.map(\.id).nonEmpty)
        return Plan(
            transition: transition, lights: planned, scenes: ended + scenes,
            recalled: setByScenes, refused: unread, effect: effect(reversal))
    }
}

extension Light.Snapshot {
    /// Whether one of these commands set the light to what it shows.
    fileprivate func wasSet(byOneOf commands: History.Commands) -> Bool {
        cause.ticket.map(commands.contains) ?? false
    }
}

extension Light.Values {
    func desired(for light: Light) -> DesiredState {
        DesiredState(light.id, power: power, light.part(of: patch(runsEffects: light.limits.effects != nil)))
    }
}

extension Array {
    var nonEmpty: Self? { isEmpty ? nil : self }
}
