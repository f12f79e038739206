import HashTreeCollections
public import Lighting
import Synchronization

/// The home as people name it: lists in reading order, and names resolved to targets. A projection of the state; inside
/// the domain there are only ids.
public struct Directory: Sendable {
    public let state: AppState
    /// The home's zone and place, by which its hours are told.
    public let time: HomeTime
    private let memory: NameMemory
    private let ownTables: Lazily<NameTables>
    private let former: Journal.Names

    public init(_ state: AppState, in time: HomeTime = .utc) {
        self.init(state, in: time, NameMemory())
    }

    /// - Parameter memory: of states before this one, whose names are probably the same.
    init(_ state: AppState, in time: HomeTime = .utc, _ memory: NameMemory) {
        (self.state, self.time, self.memory) = (state, time, memory)
        (ownTables, former) = (Lazily(), Journal.Names())
    }

    private init(_ home: Self, remembering names: Journal.Names) {
        (state, time, memory) = (home.state, home.time, home.memory)
        (ownTables, former) = (home.ownTables, names)
    }

    /// The same home, in which sentences call things as they were called when an entry of the journal was recorded.
    func remembering(_ names: Journal.Names) -> Self { Self(self, remembering: names) }

    /// What the clock starts next.
    var due: [Automation.ID: Due] { memory.due.due(in: state.automations, time) }

    var tables: NameTables { ownTables.value { memory.tables(of: state) } }

    // MARK: Lists, in the order in which they are shown

    /// By room, then by name; lights without a room come last.
    public var lights: [Light] {
        let order = tables.lightOrder.value {
            let roomOf = roomOfLight
            let places = Dictionary(
                uniqueKeysWithValues: sorted(roomOf.values).enumerated().map { place, room in (room.id, place) })
            return state.lights.values.sorted { light in
                Place(roomOf[light.id].flatMap { places[$0.id] } ?? .max, NameOrder(light.name, light.id))
            }
            .map(\.id)
        }
        return order.compactMap { state.lights[$0] }
    }

    /// Rooms, then zones, each by name.
    public var rooms: [Room] {
        tables.rooms.value {
            state.rooms.values.sorted { Place($0.kind == .room ? 0 : 1, NameOrder($0.name, $0.id)) }
        }
    }

    /// By room, then in their order: as somebody has put them, or by name.
    public var scenes: [Scene] {
        tables.scenes.value {
            let places = Dictionary(uniqueKeysWithValues: sorted(state.rooms.values).enumerated().map { ($1.id, $0) })
            return state.scenes.values.sorted { scene in
                Place(scene.room.flatMap { places[$0] } ?? -1, state.place(of: scene))
            }
        }
    }

    /// By room, then by name; sensors without a room come last.
    public var sensors: [Sensor] {
        let order = tables.sensors.value {
            let places = Dictionary(uniqueKeysWithValues: sorted(state.rooms.values).enumerated().map { ($1.id, $0) })
            return state.sensors.values.sorted { sensor in
                Place(sensor.room.flatMap { places[$0] } ?? .max, NameOrder(sensor.name, sensor.id))
            }
            .map(\.id)
        }
        return order.compactMap { state.sensors[$0] }
    }

    public var bridges: [Bridge] { state.bridges.values.sorted { NameOrder($0.name, $0.id) } }

    public var dashboard: Dashboard { state.dashboard }

    /// Why a name may be unknown now but not later.
    var missingBridge: Failure? { state.missingBridge }

    // MARK: Relations

    public func light(_ id: Light.ID) -> Light? { state.lights[id] }
    public func room(_ id: Room.ID) -> Room? { state.rooms[id] }
    public func scene(_ id: Scene.ID) -> Scene? { state.scenes[id] }
    public func sensor(_ id: Sensor.ID) -> Sensor? { state.sensors[id] }
    public func bridge(_ id: Bridge.ID) -> Bridge? { state.bridges[id] }

    /// The lights of a target, in display order. Lights that a room names but no bridge has reported are left out.
    public func lights(of target: Target) -> [Light] {
        switch target {
        case let .light(id): state.lights[id].map { [$0] } ?? []
        case let .room(id): state.rooms[id]?.lights.compactMap { state.lights[$0] } ?? []
        case .all: lights
        }
    }

    /// The room of each light that is in one; zones do not count.
    public var roomOfLight: [Light.ID: Room] {
        tables.roomOfLight.value {
            var result: [Light.ID: Room] = [:]
            for room in state.rooms.values where room.kind == .room {
                for light in room.lights { result[light] = room }
            }
            return result
        }
    }

    /// The zones of each light, by name.
    public var zonesOfLight: [Light.ID: [Room]] {
        tables.zonesOfLight.value {
            var zones: [Light.ID: [Room]] = [:]
            for zone in rooms where zone.kind == .zone {
                for light in zone.lights { zones[light, default: []].append(zone) }
            }
            return zones
        }
    }

    /// How its controls are shown: as its pin is, if it has one. A pin is kept in any case, a light's display only if
    /// lightd ends in order.
    func display(of light: Light) -> LevelControl {
        dashboard.pins.first { $0.target == .light(light.id) }?.display ?? light.display
    }

    /// `nil` if nothing leaves it out.
    func exclusions(of light: Light) -> [Exclusion]? {
        guard !dashboard.exclusions.isEmpty else { return nil }
        let exclusions = Exclusion.allCases.filter { dashboard.excludes(light.id, from: $0) }
        return exclusions.isEmpty ? nil : exclusions
    }

    /// The name of a target: "Desk", "@Kitchen", "all"; its id if it has no name any more.
    public func name(of target: Target) -> String {
        switch target {
        case let .light(id): name(of: id) ?? id.description
        case let .room(id): "@" + (name(of: id) ?? id.description)
        case .all: "all"
        }
    }

    func name(of light: Light.ID) -> String? {
        former.name(of: light) ?? state.name(of: light)
    }

    func name(of room: Room.ID) -> String? { former.name(of: room) ?? state.rooms[room]?.name }

    /// "Kitchen/Relax"
    func name(of scene: Scene.ID) -> String {
        former.name(of: scene) ?? state.scenes[scene].map { state.name(of: $0) } ?? "scene \(scene)"
    }

    func name(of sensor: Sensor.ID) -> String {
        former.name(of: sensor) ?? state.sensors[sensor]?.name ?? "sensor \(sensor)"
    }

    /// Whether sentences call it by another name than today's.
    func isRenamed(_ target: Target) -> Bool {
        switch target {
        case let .light(id): name(of: id) != light(id)?.name
        case let .room(id): name(of: id) != room(id)?.name
        case .all: false
        }
    }

    /// "room" or "zone".
    func kind(of room: Room.ID) -> String { (state.rooms[room]?.kind ?? .room).rawValue }

    public func roomName(of scene: Scene) -> String? {
        scene.room.flatMap { state.rooms[$0]?.name }
    }

    public func roomName(of sensor: Sensor) -> String? {
        sensor.room.flatMap { state.rooms[$0]?.name }
    }

    /// Each once, by name.
    private func sorted(_ rooms: some Sequence<Room>) -> [Room] {
        Dictionary(rooms.map { ($0.id, $0) }) { first, _ in first }.values.sorted { NameOrder($0.name, $0.id) }
    }
}

/// What a list of groups is ordered by: the group's place, then the order inside of it.
private struct Place<Order: Comparable>: Comparable {
    let group: Int
    let order: Order

    init(_ group: Int, _ order: Order) {
        (self.group, self.order) = (group, order)
    }

    static func < (one: Self, other: Self) -> Bool {
        one.group == other.group ? one.order < other.order : one.group < other.group
    }
}

/// What follows from a home's names and rooms alone, each made when it is first needed. Nearly all changes of a home are
/// changes of its lights' values, so that many states share one.
struct NameTables: Sendable {
    let lightOrder = Lazily<[Light.ID]>()
    let rooms = Lazily<[Room]>()
    let scenes = Lazily<[Scene]>()
    let roomOfLight = Lazily<[Light.ID: Room]>()
    let zonesOfLight = Lazily<[Light.ID: [Room]]>()
    let pagePlaces = Lazily<[PagePlace]>()
    let lightIndex = Lazily<NameIndex<Target>>()
    let roomIndex = Lazily<NameIndex<Target>>()
    let sensors = Lazily<[Sensor.ID]>()
    let sensorIndex = Lazily<NameIndex<Sensor.ID>>()
    let sceneIndex = Lazily<NameIndex<Scene.ID>>()
    let bridgeIndex = Lazily<NameIndex<Bridge.ID>>()
    let homeNames = Lazily<HomeNames>()
}

/// The tables of the state that was asked for last.
final class NameMemory: Sendable {
    let due = DueMemory()
    private let newest = Mutex<(state: AppState, tables: NameTables)?>(nil)

    func tables(of state: AppState) -> NameTables {
        newest.withLock { newest in
            let tables = newest.flatMap { $0.state.isNamed(like: state) ? $0.tables : nil } ?? NameTables()
            newest = (state, tables)
            return tables
        }
    }
}

extension AppState {
    /// Whether the same things have the same names and places in both.
    fileprivate func isNamed(like other: AppState) -> Bool {
        rooms == other.rooms && scenes == other.scenes && sceneOrders == other.sceneOrders
            && bridges.matches(other.bridges) { $0.name == $1.name }
            && lights.matches(other.lights) { $0.name == $1.name }
            && sensors.matches(other.sensors) { $0.name == $1.name && $0.room == $1.room }
    }
}

extension TreeDictionary {
    fileprivate func matches(_ other: Self, by areAlike: (Value, Value) -> Bool) -> Bool {
        count == other.count && allSatisfy { key, value in other[key].map { areAlike($0, value) } ?? false }
    }
}
