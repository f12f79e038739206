public import ControlProtocol
import HashTreeCollections
public import Lighting

/// The result of looking a name up.
public enum Lookup<Found: Hashable & Sendable>: Equatable, Sendable {
    case found(Found)
    /// Nothing has this name. The candidates are those that a typing error may have missed, at most 12.
    case unknown(candidates: [String])
    /// Several have this name. Each candidate names one of them; at most 12 are listed.
    case ambiguous(candidates: [String], of: Int)
}

extension Directory {
    /// How many candidates a look-up offers at most: what a person still reads.
    static let mostCandidates = 12

    /// Resolves what a person typed: a light's name, `@room`, `all` or an id; case is ignored. If several share a name,
    /// "ROOM/LIGHT", "BRIDGE/LIGHT", "BRIDGE/ROOM/LIGHT" or "@BRIDGE/ROOM" names one of them; the bridge is given by
    /// its name or its id. If no light has the name, a room with it is meant.
    public func target(_ text: String) -> Lookup<Target> {
        if Self.isAll(text) { return .found(.all) }
        let (lights, rooms) = (namedLights, namedRooms)
        return lookup(
            text, in: text.trimmed.hasPrefix("@") ? [rooms] : [lights, rooms], find: { called($0, lights, rooms) })
    }

    /// Everything with this name, in display order, without a search for similar names.
    func called(_ text: String) -> [Target] { called(text, namedLights, namedRooms) }

    /// What a person would type to name this and nothing else: "Desk", or if others have that name "Living/Desk" or
    /// "Left/Living/Desk"; its id if nothing shorter is unique.
    public func text(naming target: Target) -> String {
        let (lights, rooms) = (namedLights, namedRooms)
        guard let entry = lights[target] ?? rooms[target], !isRenamed(target) else { return name(of: target) }
        return entry.text { called($0, lights, rooms) }
    }

    private static func isAll(_ text: String) -> Bool { ["all", "@all"].contains(text.trimmed.lowercased()) }

    private var namedLights: NameIndex<Target> {
        tables.lightIndex.value {
            let roomOf = roomOfLight
            return NameIndex(lights.map { entry(.light($0.id), $0.name, in: roomOf[$0.id]?.name, id: $0.id) })
        }
    }

    private var namedRooms: NameIndex<Target> {
        tables.roomIndex.value { NameIndex(rooms.map { entry(.room($0.id), $0.name, id: $0.id, sign: "@") }) }
    }

    private func called(_ text: String, _ lights: NameIndex<Target>, _ rooms: NameIndex<Target>) -> [Target] {
        let text = text.trimmed
        if Self.isAll(text) { return [] }
        guard text.hasPrefix("@") else {
            let called = lights.called(text)
            return called.isEmpty ? rooms.called(text) : called
        }
        return rooms.called(String(text.dropFirst()).trimmed)
    }

    private var namedScenes: NameIndex<Scene.ID> {
        tables.sceneIndex.value { NameIndex(scenes.map { entry(of: $0) }) }
    }

    private var namedSensors: NameIndex<Sensor.ID> {
        tables.sensorIndex.value {
            NameIndex(sensors.map { entry($0.id, $0.name, in: roomName(of: $0), id: $0.id) })
        }
    }

    private var namedBridges: NameIndex<Bridge.ID> {
        tables.bridgeIndex.value {
            NameIndex(bridges.map { NameEntry(found: $0.id, names: [$0.name.trimmed], id: $0.id.description) })
        }
    }

    /// A room or zone by its name, with @ or without, by "BRIDGE/ROOM", or by its id.
    ///
    /// - Parameter kind: only rooms, or only zones.
    public func room(_ text: String, kind: RoomKind?) -> Lookup<Room.ID> {
        let rooms = rooms.filter { kind == nil || $0.kind == kind }
        let named = NameIndex(rooms.map { entry($0.id, $0.name, id: $0.id, sign: "@") })
        return lookup(text, in: [named]) { text in
            let text = text.trimmed
            return named.called(text.hasPrefix("@") ? String(text.dropFirst()).trimmed : text)
        }
    }

    /// A scene by its name, by "ROOM/SCENE" or "BRIDGE/ROOM/SCENE", the room with @ or without, or by its id.
    public func scene(_ text: String) -> Lookup<Scene.ID> { scene(text, among: namedScenes) }

    /// Scenes of a room or zone, each by its name, or as elsewhere.
    func scenes(_ texts: [String], of room: Room.ID) -> [Lookup<Scene.ID>] {
        let named = NameIndex(scenes.filter { $0.room == room }.map { entry(of: $0) })
        return texts.map { scene($0, among: named) }
    }

    private func scene(_ text: String, among named: NameIndex<Scene.ID>) -> Lookup<Scene.ID> {
        lookup(text, in: [named]) { text in
            let text = text.trimmed
            let called = named.called(text)
            return called.isEmpty && text.hasPrefix("@") ? named.called(String(text.dropFirst())) : called
        }
    }

    /// A sensor or switch by its name, by "ROOM/SENSOR" or "BRIDGE/ROOM/SENSOR", or by its id.
    public func sensor(_ text: String) -> Lookup<Sensor.ID> {
        let named = namedSensors
        return lookup(text, in: [named]) { named.called($0.trimmed) }
    }

    /// What a person would type to name this sensor and no other.
    public func text(naming sensor: Sensor.ID) -> String {
        let named = namedSensors
        return named[sensor]?.text { named.called($0) } ?? sensor.description
    }

    /// A bridge by its name or its id.
    public func bridge(_ text: String) -> Lookup<Bridge.ID> {
        let named = namedBridges
        return lookup(text, in: [named]) { named.called($0.trimmed) }
    }

    /// What a person would type to name this bridge and no other.
    func text(naming bridge: Bridge.ID) -> String {
        let named = namedBridges
        return named[bridge]?.text { named.called($0) } ?? bridge.description
    }

    /// What a person can type to name each thing of the home, and nothing else.
    public var names: NamesBody {
        let (scenes, bridges, sensors) = (namedScenes, namedBridges, namedSensors)
        func texts(_ kind: RoomKind) -> [String] {
            rooms.filter { $0.kind == kind }.map { text(naming: .room($0.id)) }
        }
        return NamesBody(
            lights: lights.map { text(naming: .light($0.id)) }, rooms: texts(.room), zones: texts(.zone),
            scenes: scenes.entries.map { $0.text { scenes.called($0) } },
            bridges: bridges.entries.map { $0.text { bridges.called($0) } },
            sensors: sensors.entries.map { $0.text { sensors.called($0) } })
    }

    private func entry(of scene: Scene) -> NameEntry<Scene.ID> {
        entry(scene.id, scene.name, in: roomName(of: scene), id: scene.id)
    }

    private func entry<Found, Model>(
        _ found: Found, _ name: String, in room: String? = nil, id: QualifiedID<Model>, sign: String = ""
    ) -> NameEntry<Found> {
        let (name, bridge) = (name.trimmed, qualifier(bridge(id.bridge)?.name))
        let full = qualifier(room).map { "\($0)/\(name)" }
        let bridges = [bridge, id.bridge.description].compactMap { $0 }
        return NameEntry(
            found: found, names: [name], inRooms: full.map { [$0] } ?? [],
            full: bridges.map { "\($0)/\(full ?? name)" }, onBridges: bridges.map { "\($0)/\(name)" },
            id: id.description, resource: id.resource, sign: sign)
    }

    /// The name of a room or bridge, unless it is so long that many qualified names would fill the memory.
    private func qualifier(_ name: String?) -> String? {
        name.flatMap { $0.utf8.count <= longestComparedText ? $0.trimmed : nil }
    }

    /// - Parameter find: everything that a text names. Only texts that name one thing are offered as candidates.
    private func lookup<Found>(
        _ text: String, in indexes: [NameIndex<Found>], find: (String) -> [Found]
    ) -> Lookup<Found> {
        let found = find(text)
        return switch found.count {
        case 0: .unknown(candidates: nearest(to: text.trimmed, in: indexes.flatMap(\.entries)).map { $0.text(find) })
        case 1: .found(found[0])
        default:
            .ambiguous(
                candidates: found.prefix(Self.mostCandidates).compactMap { found in
                    indexes.lazy.compactMap { $0[found] }.first?.text(find)
                }, of: found.count)
        }
    }

    /// Those that a typing error may have missed, the nearest first.
    private func nearest<Found>(to text: String, in entries: [NameEntry<Found>]) -> [NameEntry<Found>] {
        let wanted = text.lowercased()
        let isComparable = wanted.count > 2 && wanted.utf8.count <= longestComparedText
        let ranked = entries.map { entry in
            let names = (entry.names + entry.inRooms).map { (entry.sign + $0).lowercased() }
            let distances = names.map { (name: $0, edits: editDistance(wanted, $0) ?? .max) }
            // Two edits make any two letters of any other two.
            let isNear =
                distances.contains {
                    $0.edits <= max(2, wanted.count / 3) && $0.edits < max(wanted.count, $0.name.count)
                }
                || (isComparable && names.contains { $0.contains(wanted) })
            return (entry: entry, isNear: isNear, distance: distances.map(\.edits).min() ?? .max)
        }
        .sorted { $0.distance < $1.distance }
        return ranked.filter(\.isNear).prefix(Self.mostCandidates).map(\.entry)
    }
}

extension String {
    /// Without the whitespace around it.
    fileprivate var trimmed: String {
        let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? startIndex
        return String(self[..<end].drop { $0.isWhitespace })
    }
}
