import HashTreeCollections

/// What became of a name.
public enum Lookup<Found: Equatable & Sendable>: Equatable, Sendable {
    case found(Found)
    /// Nothing is called so; these come nearest, or are all there is.
    case unknown(candidates: [String])
    /// Several are called so; each of these names one of them.
    case ambiguous(candidates: [String])
}

extension Directory {
    /// Resolves what a person typed: a light's name, `@room`, `all` or an id; where several share a name "ROOM/LIGHT", and where
    /// there are several bridges "BRIDGE/LIGHT", "BRIDGE/ROOM/LIGHT" and "@BRIDGE/ROOM", the bridge by its name or its id. Where no
    /// light has a name, a room that has it is meant. Case is ignored.
    public func target(_ text: String) -> Lookup<Target> {
        if Self.isAll(text) { return .found(.all) }
        let (lights, rooms) = targets
        return lookup(text, in: text.trimmed.hasPrefix("@") ? rooms : lights + rooms) { called($0, lights, rooms) }
    }

    /// What a person would type to name this and nothing else: "Desk", and where there are others of that name "Living/Desk" or
    /// "Left/Living/Desk"; its id where nothing shorter does.
    public func text(naming target: Target) -> String {
        let (lights, rooms) = targets
        guard let entry = (lights + rooms).first(where: { $0.found == target }) else { return name(of: target) }
        return candidate(entry) { called($0, lights, rooms) }
    }

    private static func isAll(_ text: String) -> Bool { ["all", "@all"].contains(text.trimmed.lowercased()) }

    private var targets: (lights: [Entry<Target>], rooms: [Entry<Target>]) {
        let homes = roomOfLight
        return (
            lights.map { entry(.light($0.id), $0.name, in: homes[$0.id]?.name, id: $0.id) },
            rooms.map { entry(.room($0.id), $0.name, id: $0.id, sign: "@") }
        )
    }

    private func called(_ text: String, _ lights: [Entry<Target>], _ rooms: [Entry<Target>]) -> [Entry<Target>] {
        if Self.isAll(text) { return [] }
        guard text.trimmed.hasPrefix("@") else {
            let called = called(text, in: lights)
            return called.isEmpty ? self.called(text, in: rooms) : called
        }
        return called(String(text.trimmed.dropFirst()), in: rooms)
    }

    /// A scene by its name, by "ROOM/SCENE" or "BRIDGE/ROOM/SCENE", or by its id.
    public func scene(_ text: String) -> Lookup<Scene.ID> {
        let scenes = scenes.map { entry($0.id, $0.name, in: roomName(of: $0), id: $0.id) }
        return lookup(text, in: scenes) { called($0, in: scenes) }
    }

    /// A bridge by its name or its id.
    public func bridge(_ text: String) -> Lookup<Bridge.ID> {
        let entries = bridges.map { Entry<Bridge.ID>(found: $0.id, names: [$0.name.trimmed], id: $0.id.description) }
        return lookup(text, in: entries) { called($0, in: entries) }
    }

    private func entry<Found, Model>(
        _ found: Found, _ name: String, in room: String? = nil, id: QualifiedID<Model>, sign: String = ""
    ) -> Entry<Found> {
        let (name, bridge) = (name.trimmed, bridge(id.bridge)?.name.trimmed)
        let full = room.map { "\($0.trimmed)/\(name)" }
        let bridges = [bridge, id.bridge.description].compactMap { $0 }
        return Entry(
            found: found, names: [name], inRooms: full.map { [$0] } ?? [],
            wholes: bridges.map { "\($0)/\(full ?? name)" }, onBridges: bridges.map { "\($0)/\(name)" },
            id: id.description, resource: id.resource, sign: sign)
    }

    /// Those that are called so. A whole id wins over a name, a name over a qualified name; where a bridge has a lamp in a room and
    /// one of the same name in none, "BRIDGE/LIGHT" is the latter.
    private func called<Found>(_ text: String, in entries: [Entry<Found>]) -> [Entry<Found>] {
        let wanted = text.trimmed.lowercased()
        let ways: [(Entry<Found>) -> [String]] = [
            { [$0.id] }, \.names, \.inRooms, \.wholes, \.onBridges, { $0.resource.map { [$0] } ?? [] },
        ]
        for way in ways {
            let called = entries.filter { way($0).contains { $0.lowercased() == wanted } }
            if !called.isEmpty { return called }
        }
        return []
    }

    /// - Parameter find: everything that a text names, so that a candidate is offered only where it names one thing.
    private func lookup<Found>(
        _ text: String, in entries: [Entry<Found>], find: (String) -> [Entry<Found>]
    ) -> Lookup<Found> {
        let found = find(text)
        return switch found.count {
        case 0: .unknown(candidates: nearest(to: text.trimmed, among: entries).map { candidate($0, find) })
        case 1: .found(found[0].found)
        default: .ambiguous(candidates: found.map { candidate($0, find) })
        }
    }

    /// The shortest text that finds this one alone; its id where none does.
    private func candidate<Found>(_ entry: Entry<Found>, _ find: (String) -> [Entry<Found>]) -> String {
        entry.texts.first { find($0).map(\.found) == [entry.found] } ?? entry.sign + entry.id
    }

    /// Those a slip of the finger away; where there are none, all of them, as far as a person would read.
    private func nearest<Found>(to text: String, among entries: [Entry<Found>]) -> [Entry<Found>] {
        let wanted = text.lowercased()
        let near = entries.compactMap { entry -> (entry: Entry<Found>, distance: Int)? in
            let names = (entry.names + entry.inRooms).map { (entry.sign + $0).lowercased() }
            let distance = names.map { editDistance(wanted, $0) }.min() ?? .max
            let isNear =
                distance <= max(2, wanted.count / 3) || (wanted.count > 2 && names.contains { $0.contains(wanted) })
            return isNear ? (entry, distance) : nil
        }
        return Array((near.isEmpty ? entries : near.sorted { $0.distance < $1.distance }.map(\.entry)).prefix(12))
    }
}

/// Something that has a name, an id, and perhaps a room and a bridge that tell it from its namesakes.
private struct Entry<Found: Equatable & Sendable> {
    let found: Found
    let names: [String]
    /// "ROOM/NAME"
    var inRooms: [String] = []
    /// "BRIDGE/ROOM/NAME", "BRIDGE/NAME" where it is in no room: the bridge by its name and by its id.
    var wholes: [String] = []
    /// "BRIDGE/NAME", likewise.
    var onBridges: [String] = []
    let id: String
    /// The bridge's own id for it.
    var resource: String?
    /// What stands before every text of its kind.
    var sign = ""

    /// All that may name it, what a person would rather type first.
    var texts: [String] {
        guard names.allSatisfy({ !$0.isEmpty }) else { return [] }
        return (names + inRooms + zip(wholes, onBridges).flatMap { [$0, $1] }).map { sign + $0 }
    }
}

extension String {
    fileprivate var trimmed: String {
        let inner = drop(while: \.isWhitespace)
        return String(inner.reversed().drop(while: \.isWhitespace).reversed())
    }
}

/// How many letters one must add, remove or exchange to get from one word to the other (Levenshtein).
private func editDistance(_ one: String, _ other: String) -> Int {
    let (one, other) = (Array(one), Array(other))
    var row = Array(0...other.count)
    for (i, letter) in one.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, another) in other.enumerated() {
            let replaced = diagonal + (letter == another ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row[other.count]
}
