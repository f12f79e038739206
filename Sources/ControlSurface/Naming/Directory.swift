import HashTreeCollections
public import Lighting

/// The home as people name it: lists in reading order, and names resolved to targets. A projection of the state; inside
/// the domain there are only ids.
public struct Directory: Sendable {
    let state: AppState
    let indexes = NameIndexes()

    public init(_ state: AppState) {
        self.state = state
    }

    // MARK: Lists, in the order in which they are shown

    /// By room, then by name; lights without a room come last.
    public var lights: [Light] {
        let rooms = roomOfLight
        return state.lights.values.sorted { one, other in
            switch (rooms[one.id], rooms[other.id]) {
            case let (room?, another?) where room.id != another.id:
                precedes((room.name, room.id), (another.name, another.id))
            case (.some, nil): true
            case (nil, .some): false
            default: precedes((one.name, one.id), (other.name, other.id))
            }
        }
    }

    /// Rooms, then zones, each by name.
    public var rooms: [Room] {
        state.rooms.values.sorted { one, other in
            one.kind == other.kind ? precedes((one.name, one.id), (other.name, other.id)) : one.kind == .room
        }
    }

    /// By room, then by name.
    public var scenes: [Scene] {
        state.scenes.values.sorted { one, other in
            let (room, another) = (roomName(of: one), roomName(of: other))
            return room == another
                ? precedes((one.name, one.id), (other.name, other.id))
                : NaturalOrder.precedes(room ?? "", another ?? "")
        }
    }

    public var bridges: [Bridge] {
        state.bridges.values.sorted { precedes(($0.name, $0.id), ($1.name, $1.id)) }
    }

    public var dashboard: Dashboard { state.dashboard }

    /// Why a name may be unknown now but not later.
    var missingBridge: Failure? { state.missingBridge }

    // MARK: Relations

    public func light(_ id: Light.ID) -> Light? { state.lights[id] }
    public func room(_ id: Room.ID) -> Room? { state.rooms[id] }
    public func scene(_ id: Scene.ID) -> Scene? { state.scenes[id] }
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
        var result: [Light.ID: Room] = [:]
        for room in state.rooms.values where room.kind == .room {
            for light in room.lights { result[light] = room }
        }
        return result
    }

    /// The zones of each light, by name.
    public var zonesOfLight: [Light.ID: [Room]] {
        var zones: [Light.ID: [Room]] = [:]
        for zone in rooms where zone.kind == .zone {
            for light in zone.lights { zones[light, default: []].append(zone) }
        }
        return zones
    }

    /// The name of a target: "Desk", "@Kitchen", "all"; its id if it has no name any more.
    public func name(of target: Target) -> String {
        switch target {
        case let .light(id): (state.lights[id] ?? state.unreadLights[id])?.name ?? id.description
        case let .room(id): "@" + (state.rooms[id]?.name ?? id.description)
        case .all: "all"
        }
    }

    /// "room" or "zone".
    func kind(of room: Room.ID) -> String { (state.rooms[room]?.kind ?? .room).rawValue }

    public func roomName(of scene: Scene) -> String? {
        scene.room.flatMap { state.rooms[$0]?.name }
    }

    private func precedes<ID: Comparable>(_ one: (String, ID), _ other: (String, ID)) -> Bool {
        one.0 == other.0 ? one.1 < other.1 : NaturalOrder.precedes(one.0, other.0)
    }
}
