public import HashTreeCollections
public import Khipu

/// The whole state of the application. Its collections are persistent: a change costs O(log n), and an old state is a
/// free snapshot.
public struct AppState: Equatable, Sendable, ChangeTable {
    public private(set) var lights: TreeDictionary<Light.ID, Light> = [:]
    /// Lights of bridges that have not been read since lightd started, as they are remembered.
    public private(set) var unreadLights: TreeDictionary<Light.ID, Light> = [:]
    public private(set) var rooms: TreeDictionary<Room.ID, Room> = [:]
    public private(set) var scenes: TreeDictionary<Scene.ID, Scene> = [:]
    /// Of the rooms and zones whose scenes somebody has put into an order.
    public private(set) var sceneOrders: TreeDictionary<SceneOrder.ID, SceneOrder> = [:]
    public private(set) var sensors: TreeDictionary<Sensor.ID, Sensor> = [:]
    /// Of those that have told something.
    public private(set) var sensorDays: TreeDictionary<Sensor.ID, SensorDay> = [:]
    public private(set) var bridges: TreeDictionary<Bridge.ID, Bridge> = [:]
    /// The switches that are bound to lights.
    public private(set) var bindings: TreeDictionary<SwitchBinding.ID, SwitchBinding> = [:]
    public private(set) var dashboard = Dashboard()
    /// The commands that can be undone or redone.
    public private(set) var history = History()
    /// What the home does by itself.
    public private(set) var automations = AutomationState()
    /// What lights follow.
    public private(set) var followings = Followings()
    /// The presence replay that goes on, or the last one; `nil` if there was none.
    public private(set) var presence: PresenceReplay?

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        /// Adds it, or replaces the one with the same id.
        case adding   (Adding   ); public enum Adding   : Equatable, Sendable { case light(Light), room(Room), scene(Scene), sensor(Sensor), bridge(Bridge), binding(SwitchBinding), sceneOrder(SceneOrder) }
        case removing (Removing ); public enum Removing : Equatable, Sendable { case light(Light.ID), room(Room.ID), scene(Scene.ID), sensor(Sensor.ID), bridge(Bridge.ID), binding(SwitchBinding.ID), sceneOrder(SceneOrder.ID) }
        /// Replaces everything on one bridge: what is not listed is removed.
        case replacing(Replacing); public enum Replacing: Equatable, Sendable {
            case lights   (of: Bridge.ID, by: [Light])
            case rooms    (of: Bridge.ID, by: [Room])
            case scenes   (of: Bridge.ID, by: [Scene])
            case sensors  (of: Bridge.ID, by: [Sensor])
            case dashboard(by: Dashboard)
            case memory   (by: Memory)
            case automations(by: AutomationState)
            case followings(by: Followings)
            case presence (by: PresenceReplay?)
        }
        /// Alters an existing one; does nothing if it does not exist.
        case updating (Updating ); public enum Updating : Equatable, Sendable {
            case light    (Light.ID , by: [Light.Change])
            case room     (Room.ID  , by: Room.Change)
            case scene    (Scene.ID , by: Scene.Change)
            case sensor   (Sensor.ID, by: Sensor.Change)
            case sensorDay(Sensor.ID, by: Sensor.Report, at: Timestamp)
            /// Of a sensor that is known: what it says now.
            case day      (of: Sensor.ID, at: Timestamp)
            case bridge   (Bridge.ID, by: Bridge.Change)
            case dashboard(by: Dashboard.Change)
            case history  (by: History.Change)
            case presence (by: PresenceReplay.Change)
        }
    }

    public init() {}

    public var memory: Memory {
        Memory(lights: lights, unreadLights: unreadLights, history: history, followedLights: followings.lights)
    }

    public func alter(by changes: Change...) -> Self { alter(by: changes) }
    public func alter(by changes: [Change]) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .adding   (.light    (light     )): with { $0.lights [light .id] = light  }
        case let .adding   (.room     (room      )): with { $0.rooms  [room  .id] = room   }
        case let .adding   (.scene    (scene     )): with { $0.scenes [scene .id] = scene  }
        case let .adding   (.sensor   (sensor    )): with { $0.sensors[sensor.id] = sensor }
        case let .adding   (.bridge   (bridge    )): with { $0.bridges[bridge.id] = bridge }
        case let .adding   (.binding  (binding   )): with { $0.bindings[binding.id] = binding }
        case let .adding   (.sceneOrder(order    )): with { $0.sceneOrders[order.id] = order }
        case let .removing (.light    (id        )): with { $0.lights [id] = nil }
        case let .removing (.room     (id        )): with { $0.rooms  [id] = nil }
        case let .removing (.scene    (id        )): with { $0.scenes [id] = nil }
        case let .removing (.sensor   (id        )): with {
            $0.sensors[id] = nil
            $0.sensorDays[id] = nil
        }
        case let .removing (.binding  (id        )): with { $0.bindings[id] = nil }
        case let .removing (.sceneOrder(id       )): with { $0.sceneOrders[id] = nil }
        case let .removing (.bridge   (id        )): with {
            $0.bridges[id] = nil
            $0.lights.replaceAll(on: id, by: [])
            $0.unreadLights.replaceAll(on: id, by: [])
            $0.rooms .replaceAll(on: id, by: [])
            $0.scenes.replaceAll(on: id, by: [])
            $0.sceneOrders.replaceAll(on: id, by: [])
            $0.sensors.replaceAll(on: id, by: [])
            $0.sensorDays = $0.sensorDays.filter { $0.key.bridge != id }
            $0.bindings.replaceAll(on: id, by: [])
        }
        case let .replacing(.lights   (of: b,by:n)): with {
            $0.lights.replaceAll(on: b, by: n)
            $0.unreadLights.replaceAll(on: b, by: [])
        }
        case let .replacing(.rooms    (of: b,by:n)): with { $0.rooms .replaceAll(on: b, by: n) }
        case let .replacing(.scenes   (of: b,by:n)): with { $0.scenes.replaceAll(on: b, by: n) }
        case let .replacing(.sensors  (of: b,by:n)): with {
            $0.sensors.replaceAll(on: b, by: n)
            let known = $0.sensors
            $0.sensorDays = $0.sensorDays.filter { known[$0.key] != nil }
        }
        case let .replacing(.dashboard(by: d     )): with { $0.dashboard = d }
        case let .replacing(.presence (by: p     )): with { $0.presence = p }
        case let .replacing(.memory   (by: m     )): with {
            $0.unreadLights = m.unreadLights
            $0.history = m.history
            $0.followings = $0.followings.remembering(m.followedLights)
        }
        case let .replacing(.automations(by: a   )): with { $0.automations = a }
        case let .replacing(.followings(by:f     )): with { $0.followings = f }
        case let .updating (.light    (id, by: c )): with { $0.lights .update(id) { $0.alter(by: c) } }
        case let .updating (.room     (id, by: c )): with { $0.rooms  .update(id) { $0.alter(by: c) } }
        case let .updating (.scene    (id, by: c )): with { $0.scenes .update(id) { $0.alter(by: c) } }
        case let .updating (.sensor   (id, by: c )): with { $0.sensors.update(id) { $0.alter(by: c) } }
        case let .updating (.sensorDay(id, r, t  )): sensors[id] == nil ? self : with {
            $0.sensorDays[id] = ($0.sensorDays[id] ?? SensorDay()).recording(r, at: t)
        }
        case let .updating (.day      (id, t     )): with {
            if let sensor = $0.sensors[id] {
                $0.sensorDays[id] = ($0.sensorDays[id] ?? SensorDay()).recording(sensor, at: t)
            }
        }
        case let .updating (.bridge   (id, by: c )): with { $0.bridges.update(id) { $0.alter(by: c) } }
        case let .updating (.dashboard(by: c     )): with { $0.dashboard = $0.dashboard.alter(by: c) }
        case let .updating (.history  (by: c     )): with { $0.history   = $0.history  .alter(by: c) }
        case let .updating (.presence (by: c     )): with { $0.presence  = $0.presence?.alter(by: c) }
        }
    }
}

extension TreeDictionary where Value: Identifiable, Value.ID == Key {
    fileprivate mutating func update(_ key: Key, by change: (Value) -> Value) {
        if let value = self[key] { self[key] = change(value) }
    }
}

extension TreeDictionary {
    fileprivate mutating func replaceAll<Model>(on bridge: Bridge.ID, by values: [Value])
    where Key == QualifiedID<Model>, Value: Identifiable, Value.ID == Key {
        self = filter { $0.key.bridge != bridge }
        for value in values { self[value.id] = value }
    }
}

@DomainActor
public func createAppStore(_ initial: AppState = AppState()) -> Store<AppState, AppState.Change> {
    createStore(initial) { $0.alter(by: $1) }
}

public typealias AppStore = Store<AppState, AppState.Change>

extension AppState {
    /// The lights in a target that are known, in the room's order; empty if there are none.
    public func lights(in target: Target) -> [Light] {
        switch target {
        case let .light(id): lights[id].map { [$0] } ?? []
        case let .room(id): rooms[id]?.lights.compactMap { lights[$0] } ?? []
        case .all: lights.values.sorted { $0.id < $1.id }
        }
    }

    /// Why something may be unknown now but not later: no bridge is paired, or the lights of a paired bridge were never
    /// read because it cannot be reached. `nil` if every bridge has been read.
    public var missingBridge: Failure? {
        guard !bridges.isEmpty else { return .notPaired }
        let read = Set(lights.keys.map(\.bridge))
        return bridges.values.sorted { $0.id < $1.id }.lazy.filter { !read.contains($0.id) }.compactMap { bridge in
            if case let .lost(_, because: failure) = bridge.connection { failure } else { nil }
        }.first
    }

    /// Whether a bridge is paired, and was not read since lightd started.
    func isUnread(_ bridge: Bridge.ID) -> Bool {
        bridges[bridge] != nil && !lights.keys.contains { $0.bridge == bridge }
    }

    /// Why a command for all lights fails for those of bridges that lightd has not reached since it started, as far as
    /// they are remembered.
    var unreadParts: [Failure.Part] {
        bridges.values.filter { isUnread($0.id) }.sorted { $0.id < $1.id }.flatMap { bridge -> [Failure.Part] in
            guard case let .lost(_, because: failure) = bridge.connection else { return [] }
            let known = unreadLights.keys.filter { $0.bridge == bridge.id }.sorted()
            return known.isEmpty ? [Failure.Part(.all, failure)] : known.map { Failure.Part(.light($0), failure) }
        }
    }

    /// How a command for a target ended that ended so at those of its lights that lightd has read.
    func outcome(_ outcome: Outcome, at lights: [Light.ID], of target: Target) -> Outcome {
        let unread = target == .all ? unreadParts : []
        guard !unread.isEmpty else { return outcome }
        return .all(outcome.parts(for: lights) + unread.map { ($0.target, .failed($0.failure)) })
    }

    /// Why nothing is known of the lights on a bridge that has not been read since lightd started.
    func missingConnection(to bridge: Bridge.ID) -> Failure {
        if case let .lost(_, because: failure)? = bridges[bridge]?.connection { return failure }
        return .notReachedYet(bridge)
    }

    /// The lights of a target; never empty.
    func lights(of target: Target) throws(Failure) -> [Light] {
        let exists =
            switch target {
            case let .light(id): lights[id] != nil
            case let .room(id): rooms[id] != nil
            case .all: true
            }
        guard exists else { throw .noSuchTarget(target) }
        let lights = lights(in: target)
        guard !lights.isEmpty else { throw missingBridge ?? .noLights(in: target) }
        return lights
    }

    /// The lights of targets, each once, in their order. Only without a target is it empty.
    func lights(of targets: [Target]) throws(Failure) -> [Light] {
        try targets.map { (target) throws(Failure) in try lights(of: target) }.joined().unique(by: \.id)
    }

    /// The lights of a target that can show a patch or a part of it, each with that part; never empty.
    func lights(of target: Target, taking patch: LightPatch) throws(Failure) -> [(light: Light, part: LightPatch)] {
        let lights = try lights(of: target)
        let able = lights.compactMap { light in light.part(of: patch).map { (light, $0) } }
        guard !able.isEmpty else { throw lights.failure(lacking: patch.ability) }
        return able
    }

    /// The lights of a target that are on and can be stepped in a value; never empty.
    func lights(
        of target: Target, ableToStep value: LightValue, by step: Message.Lighting.Increment
    ) throws(Failure) -> [Light] {
        guard step.points.isFinite else { throw .invalid("a step of \(step.points) points is not a number") }
        if case .lightness = step, value != .brightness {
            throw .invalid("only the brightness has steps for the eye, not the \(value.rawValue)")
        }
        let lights = try lights(of: target)
        let able = lights.filter { $0.has(value.ability) }
        guard !able.isEmpty else { throw lights.failure(lacking: value.ability) }
        let lit = able.filter { $0.power == .on }
        guard !lit.isEmpty else {
            throw .cannot(light: able[0].name, what: "be stepped while it is off; turn it on first")
        }
        return lit
    }
}

/// What lightd knows beyond what the bridges can tell it again, and must not forget when it ends: who set each light to
/// what it showed, and which commands can be undone.
public struct Memory: Equatable, Sendable {
    /// Lights that were read from their bridge since lightd started.
    public let lights: TreeDictionary<Light.ID, Light>
    /// Lights of bridges that have not been read since lightd started.
    public let unreadLights: TreeDictionary<Light.ID, Light>
    public let history: History
    /// What was asked of lights that follow something, and what a hand has taken over.
    public let followedLights: TreeDictionary<Light.ID, FollowedLight>

    public init(
        lights: TreeDictionary<Light.ID, Light> = [:], unreadLights: TreeDictionary<Light.ID, Light> = [:],
        history: History = History(), followedLights: TreeDictionary<Light.ID, FollowedLight> = [:]
    ) {
        self.lights = lights
        self.unreadLights = unreadLights
        self.history = history
        self.followedLights = followedLights
    }
}

/// A model whose `alter(by:)` is a table: one row for each change.
protocol ChangeTable {}

extension ChangeTable {
    /// A copy in which only what `change` sets is different. Everything else is carried over, so that a row names only
    /// what it changes.
    func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}
