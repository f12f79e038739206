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
        case undo(Int, Transition)
        /// The command with this ticket's number, and all that its holder has sent since.
        case undoDown(to: UInt64, Transition)
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
            undo(Array(history.done.suffix(max(count, 0))), at: state.lights, transition, ticket)
        case let .undoDown(to: first, transition):
            do {
                undo(Array(try history.steps(downTo: first, by: ticket.holder)), at: state.lights, transition, ticket)
            } catch {
                respond(.undoing(Reversal(steps: 0), .failed(error)), ticket)
            }
        case let .redo(count, transition):
            let steps = Array(history.undone.prefix(max(count, 0)))
            reverse(
                steps.map { ($0, history.result(of: $0), sceneToRecall(of: $0)) },
                .redoing(.steps(steps.count, by: ticket)), transition, ticket
            ) { [respond] in respond(.redoing($0, $1), ticket) }
        }
    }

    /// - Parameter steps: the newest ones, oldest first.
    @DomainActor
    private func undo(
        _ steps: [History.Step], at lights: TreeDictionary<Light.ID, Light>, _ transition: Transition, _ ticket: Ticket
    ) {
        reverse(
            steps.reversed().map { ($0, $0.before, nil) },
            .undoing(.steps(steps.count, by: ticket, at: lights)), transition, ticket
        ) { [respond] in respond(.undoing($0, $1), ticket) }
    }

    /// The scene by which a step is done again; `nil` if its lights can return to what they showed, or if somebody else
    /// has changed one of them since.
    @DomainActor
    private func sceneToRecall(of step: History.Step) -> Scene.ID? {
        let state = store.state()
        guard let scene = step.unshownScene, state.scenes[scene] != nil else { return nil }
        let ours = state.history.commands
        let isOverruled = step.lights.contains { id in
            guard let light = state.lights[id]?.snapshot else { return false }
            return !light.wasSet(byOneOf: ours) && light.cause != step.before[id]?.cause
        }
        return isOverruled ? nil : scene
    }

    /// - Parameter steps: each step and the state to return its lights to, or the scene that its lights are to show
    ///   instead, in the order of going step by step.
    @DomainActor
    private func reverse(
        _ steps: [(step: History.Step, state: [Light.ID: Light.Snapshot], scene: Scene.ID?)],
        _ change: History.Change,
        _ transition: Transition, _ ticket: Ticket, _ reply: @escaping @Sendable (Reversal, Outcome) -> Void
    ) {
        guard !steps.isEmpty else {
            return reply(Reversal(steps: 0), .failed(.nothingToReverse(change.isUndoing ? "undo" : "redo")))
        }
        let state = store.state()
        let ours = state.history.commands
        var returns: [(light: Light, values: Light.Values)] = []
        var skipped: [Reversal.Skipped] = []
        var unread: [(target: Target, outcome: Outcome)] = []
        var recalled: [Light.ID] = []
        var seen: Set<Light.ID> = []
        let unconfirmed = steps.reduce(into: Set()) { $0.formUnion($1.step.unsettled(showing: state.lights)) }
        for id in steps.flatMap(\.step.lights) where seen.insert(id).inserted {
            guard let light = state.lights[id] else {
                if state.unreadLights[id] != nil {
                    unread.append((.light(id), .failed(state.missingConnection(to: id.bridge))))
                }
                continue
            }
            let now = light.snapshot
            var place = now
            var isRecalled = false
            for (step, state, scene) in steps {
                guard scene == nil || !step.lights.contains(id) else {
                    isRecalled = true
                    continue
                }
                guard let next = state[id], isRecalled || !next.values.agrees(with: place.values) else { continue }
                // A change by somebody else is not undone, nor is what lies before it. A light that never showed the
                // command is as it was before.
                guard place.wasSet(byOneOf: ours) || place.cause == step.before[id]?.cause else {
                    skipped.append(Reversal.Skipped(id, place.cause))
                    break
                }
                place = next
                isRecalled = false
            }
            if isRecalled {
                recalled.append(id)
            } else if unconfirmed.contains(id) || !place.values.agrees(with: now.values) {
                returns.append((light, place.values))
            }
        }
        let lights = returns.map(\.light.id) + recalled
        guard !lights.isEmpty || unread.isEmpty else { return reply(Reversal(steps: 0), .all(unread)) }
        let scenes = recalled.isEmpty ? [] : steps.compactMap(\.scene)
        let reversal = Reversal(steps: steps.count, lights: lights, skipped: skipped, scenes: scenes.nonEmpty)
        backup.keep(before: ticket)
        store.change(by: .updating(.history(by: change)))
        for scene in scenes { store.abandonExpectations(of: scene) }
        store.expect(returns.map { ($0.light, $0.values.changes(for: $0.light)) }, by: ticket)
        let states = returns.map { $0.values.desired(for: $0.light) }
        send(scenes[...], then: states, transition, ticket) { [unread] outcome in
            reply(reversal, unread.isEmpty ? outcome : .all(outcome.parts(for: reversal.lights) + unread))
        }
    }

    /// Recalls scenes, then sets the values that followed them.
    private func send(
        _ scenes: ArraySlice<Scene.ID>, then states: [DesiredState], _ transition: Transition, _ ticket: Ticket,
        _ reply: @escaping Reply<Outcome>
    ) {
        if let scene = scenes.first {
            stack.recall(scene, transition, ticket) { outcome in
                guard outcome == .succeeded else { return reply(outcome) }
                send(scenes.dropFirst(), then: states, transition, ticket, reply)
            }
        } else if states.isEmpty {
            reply(.succeeded)
        } else {
            stack.set(states, transition, ticket, reply)
        }
    }
}

extension History.Change {
    fileprivate var isUndoing: Bool { if case .undoing = self { true } else { false } }
}

extension Light.Snapshot {
    /// Whether one of these commands set the light to what it shows.
    fileprivate func wasSet(byOneOf commands: History.Commands) -> Bool {
        cause.ticket.map(commands.contains) ?? false
    }
}

extension Light.Values {
    fileprivate func changes(for light: Light) -> [Light.Change] {
        (setting(for: light)?.changes ?? []) + [.turning(.it(power))]
    }

    func desired(for light: Light) -> DesiredState {
        DesiredState(light.id, power: power, setting: setting(for: light))
    }

    private func setting(for light: Light) -> Light.Setting? {
        let shown: Light.Setting =
            switch mode {
            case .hsb: .hsb(hue, saturation, brightness)
            case .ct: .ct(temperature, brightness: brightness)
            case .unset: .bri(brightness)
            }
        return light.part(of: shown)
    }
}
