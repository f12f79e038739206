import ControlProtocol
import HashTreeCollections
public import Lighting

/// The result of looking a name up.
public enum Lookup<Found: Equatable & Sendable>: Equatable, Sendable {
    case found(Found)
    /// Nothing has this name. The candidates are the nearest names, or all names.
    case unknown(candidates: [String])
    /// Several have this name. Each candidate names one of them.
    case ambiguous(candidates: [String])
}

extension Directory {
    /// Resolves what a person typed: a light's name, `@room`, `all` or an id; case is ignored. If several share a name,
    /// "ROOM/LIGHT", "BRIDGE/LIGHT", "BRIDGE/ROOM/LIGHT" or "@BRIDGE/ROOM" names one of them; the bridge is given by
    /// its name or its id. If no light has the name, a room with it is meant.
    public func target(_ text: String) -> Lookup<Target> {
        if Self.isAll(text) { return .found(.all) }
        let (lights, rooms) = targets
        return lookup(text, in: text.trimmed.hasPrefix("@") ? rooms : lights + rooms) { called($0, lights, rooms) }
    }

    /// What a person would type to name this and nothing else: "Desk", or if others have that name "Living/Desk" or
    /// "Left/Living/Desk"; its id if nothing shorter is unique.
    public func text(naming target: Target) -> String {
        let (lights, rooms) = targets
        guard let entry = (lights + rooms).first(where: { $0.found == target }) else { return name(of: target) }
        return candidate(entry) { called($0, lights, rooms) }
    }

    private static func isAll(_ text: String) -> Bool { ["all", "@all"].contains(text.trimmed.lowercased()) }

    private var targets: (lights: [Candidate<Target>], rooms: [Candidate<Target>]) {
        let roomOf = roomOfLight
        return (
            lights.map { entry(.light($0.id), $0.name, in: roomOf[$0.id]?.name, id: $0.id) },
            rooms.map { entry(.room($0.id), $0.name, id: $0.id, sign: "@") }
        )
    }

    private func called(_ text: String, _ lights: [Candidate<Target>], _ rooms: [Candidate<Target>]) -> [Candidate<
        Target
    >] {
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
        let entries = bridges.map {
            Candidate<Bridge.ID>(found: $0.id, names: [$0.name.trimmed], id: $0.id.description)
        }
        return lookup(text, in: entries) { called($0, in: entries) }
    }

    private func entry<Found, Model>(
        _ found: Found, _ name: String, in room: String? = nil, id: QualifiedID<Model>, sign: String = ""
    ) -> Candidate<Found> {
        let (name, bridge) = (name.trimmed, bridge(id.bridge)?.name.trimmed)
        let full = room.map { "\($0.trimmed)/\(name)" }
        let bridges = [bridge, id.bridge.description].compactMap { $0 }
        return Candidate(
            found: found, names: [name], inRooms: full.map { [$0] } ?? [],
            full: bridges.map { "\($0)/\(full ?? name)" }, onBridges: bridges.map { "\($0)/\(name)" },
            id: id.description, resource: id.resource, sign: sign)
    }

    /// Everything with this name. A whole id wins over a name, and a name over a qualified name. If a bridge has a lamp
    /// in a room and one of the same name in no room, "BRIDGE/LIGHT" is the latter.
    private func called<Found>(_ text: String, in entries: [Candidate<Found>]) -> [Candidate<Found>] {
        let wanted = text.trimmed.lowercased()
        let ways: [(Candidate<Found>) -> [String]] = [
            { [$0.id] }, \.names, \.inRooms, \.full, \.onBridges, { $0.resource.map { [$0] } ?? [] },
        ]
        for way in ways {
            let called = entries.filter { way($0).contains { $0.lowercased() == wanted } }
            if !called.isEmpty { return called }
        }
        return []
    }

    /// - Parameter find: everything that a text names. Only texts that name one thing are offered as candidates.
    private func lookup<Found>(
        _ text: String, in entries: [Candidate<Found>], find: (String) -> [Candidate<Found>]
    ) -> Lookup<Found> {
        let found = find(text)
        return switch found.count {
        case 0: .unknown(candidates: nearest(to: text.trimmed, among: entries).map { candidate($0, find) })
        case 1: .found(found[0].found)
        default: .ambiguous(candidates: found.map { candidate($0, find) })
        }
    }

    /// The shortest text that finds only this one; its id if none does.
    private func candidate<Found>(_ entry: Candidate<Found>, _ find: (String) -> [Candidate<Found>]) -> String {
        entry.texts.first { find($0).map(\.found) == [entry.found] } ?? entry.sign + entry.id
    }

    /// Those that a typing error may have missed; if there are none, all of them, up to a readable number.
    private func nearest<Found>(to text: String, among entries: [Candidate<Found>]) -> [Candidate<Found>] {
        let wanted = text.lowercased()
        let near = entries.compactMap { entry -> (entry: Candidate<Found>, distance: Int)? in
            let names = (entry.names + entry.inRooms).map { (entry.sign + $0).lowercased() }
            let distance = names.compactMap { editDistance(wanted, $0) }.min() ?? .max
            let isNear =
                distance <= max(2, wanted.count / 3) || (wanted.count > 2 && names.contains { $0.contains(wanted) })
            return isNear ? (entry, distance) : nil
        }
        return Array((near.isEmpty ? entries : near.sorted { $0.distance < $1.distance }.map(\.entry)).prefix(12))
    }
}

/// Something with a name, an id, and perhaps a room and a bridge that distinguish it from others of the same name.
private struct Candidate<Found: Equatable & Sendable> {
    let found: Found
    let names: [String]
    /// "ROOM/NAME"
    var inRooms: [String] = []
    /// "BRIDGE/ROOM/NAME", or "BRIDGE/NAME" if it is in no room: with the bridge's name and with its id.
    var full: [String] = []
    /// "BRIDGE/NAME", with the bridge's name and with its id.
    var onBridges: [String] = []
    let id: String
    /// The bridge's own id for it.
    var resource: String?
    /// What every text of its kind begins with.
    var sign = ""

    /// Everything that may name it, what a person would rather type first.
    var texts: [String] {
        guard names.allSatisfy({ !$0.isEmpty }) else { return [] }
        return (names + inRooms + zip(full, onBridges).flatMap { [$0, $1] }).map { sign + $0 }
    }
}

extension String {
    /// Without the whitespace around it.
    fileprivate var trimmed: String {
        let inner = drop(while: \.isWhitespace)
        return String(inner.reversed().drop(while: \.isWhitespace).reversed())
    }
}
