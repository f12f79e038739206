public import Lighting
import Synchronization

/// Lamps in memory behind the `LightStack` and `BridgeStack` gateways. Carries out commands, reports them as a bridge
/// does, and records its calls. A test decides how calls end.
public final class MemoryStack: Sendable {
    /// A call of a gateway.
    public enum Request: Equatable, Sendable {
        case load
        case set([DesiredState], Transition)
        case rename(Target, String)
        case recall(Scene.ID, Transition, moving: SceneMotion? = nil)
        case configure([Light.ID], LightConfiguration.Change)
        case identify([Light.ID])
        case signal([Light.ID], Light.Signal)
        case create(RoomKind, String, [Light.ID], Bridge.ID)
        case add([Light.ID], to: Room.ID)
        case remove([Light.ID], from: Room.ID)
        case deleteRoom(Room.ID)
        case save(String, [Light.ID], in: Room.ID)
        case update(Scene.ID)
        case edit(Scene.ID, [DesiredState], removed: [Light.ID] = [])
        case renameScene(Scene.ID, String)
        case deleteScene(Scene.ID)
        case deactivate(Scene.ID)
        case enable(Sensor.ID, Bool)
        case read(Scene.ID)
        case discover
        case pair(Bridge.ID?)
        case connect(Bridge.ID)
        case revoke(Bridge.ID)
        case forget(Bridge.ID)
    }

    private struct State {
        var requests: [Request] = []
        var outcome = Outcome.succeeded
        var echoes = true
        var replies = true
        var waiting: [@Sendable () -> Void] = []
        var lights: [Light.ID: Light] = [:]
        var rooms: [Room.ID: Room] = [:]
        var scenes: [Scene] = []
        var sensors: [Sensor] = []
        var created = 0
        var discoveries: [Discovery] = []
        var pairing: Result<Pairing, Failure> = .failure(.noBridgeFound(because: "the test has none"))
        var onUpdate: (@Sendable (BridgeUpdate) -> Void)?
        var onEvent: (@Sendable (ConnectionEvent) -> Void)?
    }

    private let state = Mutex(State())

    public init(lights: [Light] = [], rooms: [Room] = [], scenes: [Scene] = [], sensors: [Sensor] = []) {
        state.withLock {
            $0.lights = Dictionary(uniqueKeysWithValues: lights.map { ($0.id, $0) })
            $0.rooms = Dictionary(uniqueKeysWithValues: rooms.map { ($0.id, $0) })
            $0.scenes = scenes
            $0.sensors = sensors
        }
    }

    public var requests: [Request] { state.withLock { $0.requests } }

    /// Sets how commands end from now on.
    public func end(with outcome: Outcome) { state.withLock { $0.outcome = outcome } }

    /// Sets whether the effect of a command that succeeds is reported, as a bridge does.
    public func echo(_ echoes: Bool) { state.withLock { $0.echoes = echoes } }

    /// Holds back every reply until ``release()``.
    public func hold() { state.withLock { $0.replies = false } }

    public func release() {
        let waiting = state.withLock { state in
            state.replies = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for call in waiting { call() }
    }

    /// Gives the reply that was held back first; the others still wait.
    ///
    /// - Returns: whether one was held back.
    @discardableResult
    public func releaseOne() -> Bool {
        let call = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
        call?()
        return call != nil
    }

    public func find(_ discoveries: [Discovery]) { state.withLock { $0.discoveries = discoveries } }

    public func pair(with result: Result<Pairing, Failure>) { state.withLock { $0.pairing = result } }

    /// Reports something that no command of ours asked for.
    public func tell(_ update: BridgeUpdate) { state.withLock { $0.onUpdate }?(update) }

    public func tell(_ event: ConnectionEvent) { state.withLock { $0.onEvent }?(event) }

    // MARK: The gateways

    public var lights: LightStack {
        LightStack(
            load: { reply in self.carryOut(.load, reply) { self.tellHomes() } },
            set: { states, transition, _, reply in
                self.carryOut(.set(states, transition), reply) {
                    for state in states { self.tell(.light(state.light, Light.Report(state.values))) }
                }
            },
            rename: { target, name, reply in
                self.carryOut(.rename(target, name), reply) { self.tell(.renamed(target, to: name)) }
            },
            recall: { scene, transition, _, reply in
                let request: Request =
                    scene.isEnding ? .deactivate(scene.id) : .recall(scene.id, transition, moving: scene.motion)
                self.carryOut(request, reply) {}
            },
            configure: { lights, change, reply in
                self.carryOut(.configure(lights, change), reply) {
                    let report = Light.Report(configuration: LightConfiguration().alter(by: change))
                    for light in lights { self.tell(.light(light, report)) }
                }
            },
            identify: { lights, reply in self.carryOut(.identify(lights), reply) {} },
            signal: { lights, signal, reply in self.carryOut(.signal(lights, signal), reply) {} },
            listen: { listener in self.state.withLock { $0.onUpdate = listener } }
        )
    }

    /// Lights that are sent nothing: each state would be one request.
    public func rehearsal() -> LightRehearsal {
        let copy = MemoryStack()
        return LightRehearsal(
            lights: copy.lights, rooms: copy.roomStack, scenes: copy.sceneStack, sensors: copy.sensorStack
        ) {
            copy.requests.flatMap { request -> [PlannedRequest] in
                guard case let .set(states, _) = request else { return [] }
                return states.map {
                    PlannedRequest(
                        bridge: $0.light.bridge, method: "PUT", path: "/lights/\($0.light.resource)",
                        body: "\($0.power.map(\.rawValue) ?? "-")")
                }
            }
        }
    }

    public var roomStack: RoomStack {
        RoomStack(
            create: { kind, name, lights, bridge, reply in
                let room = Room(id: Room.ID(bridge: bridge, resource: self.newID()), name: name, kind: kind)
                self.carryOut(
                    .create(kind, name, lights, bridge),
                    { reply($0.failure.map { .failure($0) } ?? .success(room.id)) }
                ) {
                    self.state.withLock { $0.rooms[room.id] = room }
                    self.tell(.added(.room(room)))
                    self.move(lights, to: room.id)
                }
            },
            add: { lights, room, reply in
                self.carryOut(.add(lights, to: room), reply) { self.move(lights, to: room) }
            },
            remove: { lights, room, reply in
                self.carryOut(.remove(lights, from: room), reply) { self.take(lights, from: room) }
            },
            delete: { room, reply in
                self.carryOut(.deleteRoom(room), reply) {
                    self.state.withLock { $0.rooms[room] = nil }
                    self.tell(.removed(.room(room)))
                }
            }
        )
    }

    /// What ``read`` answers is what the scene's lights showed at first.
    public var sceneStack: SceneStack {
        SceneStack(
            save: { name, lights, room, reply in
                let id = Scene.ID(bridge: room.bridge, resource: self.newID())
                let scene = Scene(id: id, name: name, room: room, lights: lights)
                self.carryOut(
                    .save(name, lights, in: room), { reply($0.failure.map { .failure($0) } ?? .success(id)) }
                ) {
                    self.state.withLock { $0.scenes.append(scene) }
                    self.tell(.added(.scene(scene)))
                }
            },
            update: { scene, reply in self.carryOut(.update(scene), reply) {} },
            edit: { scene, states, removed, reply in
                self.carryOut(.edit(scene, states, removed: removed), reply) {}
            },
            rename: { scene, name, reply in
                self.carryOut(.renameScene(scene, name), reply) {
                    let renamed = self.state.withLock { state -> Scene? in
                        guard let place = state.scenes.firstIndex(where: { $0.id == scene }) else { return nil }
                        state.scenes[place] = state.scenes[place].alter(by: .renaming(.it(to: name)))
                        return state.scenes[place]
                    }
                    if let renamed { self.tell(.changed(.scene(renamed))) }
                }
            },
            delete: { scene, reply in
                self.carryOut(.deleteScene(scene), reply) {
                    self.state.withLock { $0.scenes.removeAll { $0.id == scene } }
                    self.tell(.removed(.scene(scene)))
                }
            },
            read: { scene, reply in
                let states = self.state.withLock { state in
                    let lights = state.scenes.first { $0.id == scene }?.lights ?? []
                    return lights.compactMap { state.lights[$0] }.map {
                        DesiredState($0.id, power: $0.power, .bri($0.brightness))
                    }
                }
                self.carryOut(.read(scene), { reply($0.failure.map { .failure($0) } ?? .success(states)) }) {}
            },
            deactivate: { scene, reply in self.carryOut(.deactivate(scene), reply) {} }
        )
    }

    public var sensorStack: SensorStack {
        SensorStack { id, isEnabled, reply in self.carryOut(.enable(id, isEnabled), reply) {} }
    }

    private func newID() -> String {
        state.withLock { state in
            state.created += 1
            return "new-\(state.created)"
        }
    }

    /// Puts lights into a room or zone. A room takes them from others.
    private func move(_ lights: [Light.ID], to room: Room.ID) {
        let others = state.withLock { state in
            state.rooms.values.filter { $0.kind == .room && state.rooms[room]?.kind == .room && $0.id != room }
                .filter { !Set($0.lights).isDisjoint(with: lights) }.map(\.id).sorted()
        }
        for other in others { take(lights, from: other) }
        place(room) { before in before + lights.filter { !before.contains($0) } }
    }

    private func take(_ lights: [Light.ID], from room: Room.ID) { place(room) { $0.filter { !lights.contains($0) } } }

    private func place(_ room: Room.ID, _ members: ([Light.ID]) -> [Light.ID]) {
        let changed = state.withLock { state -> Room? in
            guard let known = state.rooms[room] else { return nil }
            state.rooms[room] = known.alter(by: .placing(.lights(members(known.lights))))
            return state.rooms[room]
        }
        if let changed { tell(.changed(.room(changed))) }
    }

    public var bridges: BridgeStack {
        BridgeStack(
            discover: { _, reply in
                let found = self.state.withLock { state in
                    state.requests.append(.discover)
                    return state.discoveries
                }
                reply(found)
            },
            pair: { bridge, _, reply in
                let result = self.state.withLock { state in
                    state.requests.append(.pair(bridge))
                    return state.pairing
                }
                reply(result)
            },
            connect: { pairing in
                self.state.withLock { $0.requests.append(.connect(pairing.bridge.id)) }
                self.tellHomes()
                self.tell(.connected(pairing.bridge.id, by: .stream))
            },
            revoke: { pairing in self.state.withLock { $0.requests.append(.revoke(pairing.bridge.id)) } },
            forget: { bridge, reply in self.carryOut(.forget(bridge), reply) {} },
            listen: { listener in self.state.withLock { $0.onEvent = listener } }
        )
    }

    private func carryOut(_ request: Request, _ reply: @escaping Reply<Outcome>, _ echo: @escaping @Sendable () -> Void)
    {
        let call: @Sendable () -> Void = {
            let (outcome, echoes) = self.state.withLock { ($0.outcome, $0.echoes) }
            if outcome == .succeeded, echoes { echo() }
            reply(outcome)
        }
        let now = state.withLock { state in
            state.requests.append(request)
            if !state.replies { state.waiting.append(call) }
            return state.replies
        }
        if now { call() }
    }

    private func tellHomes() {
        let (lights, rooms, scenes, sensors) = state.withLock { ($0.lights, $0.rooms, $0.scenes, $0.sensors) }
        for bridge in Set(lights.keys.map(\.bridge) + sensors.map(\.id.bridge)).sorted() {
            tell(
                .home(
                    bridge,
                    lights: lights.values.filter { $0.id.bridge == bridge }.sorted { $0.id < $1.id },
                    rooms: rooms.values.filter { $0.id.bridge == bridge }.sorted { $0.id < $1.id },
                    scenes: scenes.filter { $0.id.bridge == bridge },
                    sensors: sensors.filter { $0.id.bridge == bridge }
                )
            )
        }
    }
}
