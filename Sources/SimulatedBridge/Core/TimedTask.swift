import Executors
import HueWire

/// How the bridge measures and waits for time. All its waiting goes through this, and all of it is for a moment at which
/// something is due: an idle bridge waits for nothing, which a test with a clock of its own checks.
struct SimulationClock: Sendable {
    /// Real time since the start.
    let elapsed: @Sendable () -> Duration
    /// Waits for this long in real time, or until the task is cancelled.
    let sleep: @Sendable (Duration) async throws -> Void

    /// A clock that starts now.
    static func starting() -> Self {
        let start = ContinuousClock.now
        return Self(elapsed: { ContinuousClock.now - start }, sleep: QueueTimer.sleep)
    }
}

/// Waits until the task is cancelled, without a timer.
func untilCancelled() async throws {
    for await _ in AsyncStream<Never>.makeStream().stream {}
    try Task.checkCancellation()
}

/// Something that the bridge does by itself at a later time, for example to end what a request has begun.
struct TimedTask: Equatable, Sendable {
    let kind: Kind
    let due: Duration

    enum Kind: Hashable, Sendable {
        case endSearch
        /// A search finds a new lamp.
        case join(NewLamp)
        case endSignal(ResourceID)
        /// The lamps of a dynamic scene go on to the next colours of its palette.
        case move(ResourceID)
        /// The next slot of a smart scene begins.
        case nextSlot(ResourceID)
        /// A sunrise or sunset is over.
        case endEffect(ResourceID)
        /// An accessory stops reporting faster.
        case endTest(ResourceID)
        /// An entertainment session ends because no frame arrived.
        case endStream(ResourceID)
    }

    init(_ kind: Kind, at due: Duration) {
        self.kind = kind
        self.due = due
    }

    /// The end of an accessory's test (`usertest`), two minutes after its start.
    static func endTest(of accessory: ResourceID, startedAt now: Duration) -> Self {
        Self(.endTest(accessory), at: now + .seconds(120))
    }

    static func move(_ scene: SimulatedHome.Scene, after now: Duration) -> Self {
        Self(.move(scene.id), at: now + scene.pace)
    }

    /// Decides when the task is due, on the home as it is then.
    func decide(in context: DecisionContext) -> Decision {
        let home = context.home
        var decision = Decision(.data([]))
        switch kind {
        case .endSearch: decision.changes = [.setting(.searching(false))]
        case let .join(newLamp):
            let lamp = newLamp.lamp(in: context)
            decision.changes = [.adding(.lamp(lamp))]
            decision.radio = [.unicast(lamp.id, over: .zero)]
        case let .endSignal(id): decision.changes = [.updating(.lamp(id, by: [.signaling(.it(nil))]))]
        case let .move(id):
            guard let scene = home.scene(id) else { break }
            let colors = scene.nextColors(in: home, at: context.now)
            guard !colors.isEmpty else { break }
            decision.changes = colors.map { .updating(.lamp($0, by: [.playing(.color($1))])) }
            decision.radio = [.broadcast(colors.map(\.lamp), over: scene.pace)]
            decision.timedTasks = [.move(scene, after: context.now)]
        case let .nextSlot(id):
            guard let document = home.storedResource(id) else { break }
            let smart = SmartScene(id: id, document: document)
            guard smart.isActive else { break }
            let shown = smart.shown(in: context)
            decision.changes = [.replacing(.stored(id, by: shown.document))] + shown.changes
            (decision.radio, decision.timedTasks) = (shown.radio, shown.timedTasks)
        case let .endEffect(id):
            guard case let .timed(name, _)? = home.lamp(id)?.lightState.effect else { break }
            // After a sunset it is dark.
            let last: [Lamp.Change] = name == "sunset" ? [.turning(.it(on: false))] : []
            decision.changes = [.updating(.lamp(id, by: [.setting(.effect(to: .none))] + last))]
            decision.radio = [.unicast(id, over: .milliseconds(400))]
        case let .endTest(id): decision.changes = [.updating(.accessory(id, by: [.testing(.it(false))]))]
        case let .endStream(id):
            if let area = home.storedResource(id) {
                let stopped = EntertainmentArea.stopped(id, area, in: home)
                (decision.changes, decision.radio) = (stopped.changes, stopped.radio)
            }
        }
        return decision
    }

    /// The changes that end unfinished tasks in a home from saved state, which has no timers.
    static func leftovers(of home: SimulatedHome) -> [SimulatedHome.Change] {
        var changes: [SimulatedHome.Change] = home.bridge.isSearching ? [.setting(.searching(false))] : []
        for lamp in home.lamps where lamp.traits.signal != nil {
            changes.append(.updating(.lamp(lamp.id, by: [.signaling(.it(nil))])))
        }
        for lamp in home.lamps {
            guard case .timed = lamp.lightState.effect else { continue }
            changes.append(.updating(.lamp(lamp.id, by: [.setting(.effect(to: .none))])))
        }
        for accessory in home.accessories where accessory.isTesting {
            changes.append(.updating(.accessory(accessory.id, by: [.testing(.it(false))])))
        }
        for (id, area) in home.storedResources where area["status"] == "active" {
            changes += EntertainmentArea.stopped(id, area, in: home).changes
        }
        return changes
    }
}

/// The tasks that are scheduled. Scheduling the same task again replaces its time.
struct Timers: Sendable {
    private var tasks: [TimedTask] = []

    var next: Duration? { tasks.lazy.map(\.due).min() }

    mutating func schedule(_ task: TimedTask) {
        tasks.removeAll { $0.kind == task.kind }
        tasks.append(task)
    }

    /// Removes and returns the tasks that are due, the earliest first; of those at the same time the one that was
    /// scheduled first, so that the same seed gives the same home.
    mutating func takeDue(by now: Duration) -> [TimedTask] {
        let due = tasks.enumerated().filter { $0.element.due <= now }
            .sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }
        tasks.removeAll { $0.due <= now }
        return due.map(\.element)
    }
}
