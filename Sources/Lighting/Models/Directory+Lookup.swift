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
    /// Resolves what a person typed: a light's name, `@room`, `all`, an id, or "ROOM/LIGHT" where lights of several rooms share
    /// a name. Where no light has a name, a room that has it is meant. Case is ignored.
    public func target(_ text: String) -> Lookup<Target> {
        let text = text.trimmed
        if text.lowercased() == "all" { return .found(.all) }
        if text.hasPrefix("@") { return room(String(text.dropFirst())) }
        let homes = roomOfLight
        let entries = lights.map { light in
            Entry(Target.light(light.id), light.name, in: homes[light.id]?.name, id: light.id)
        }
        if let found = look(for: text, in: entries) { return found }
        let rooms = rooms.map { Entry(Target.room($0.id), $0.name, id: $0.id) }
        if let found = look(for: text, in: rooms, prefix: "@") { return found }
        return .unknown(candidates: nearest(to: text, among: entries.map(\.name) + rooms.map { "@" + $0.name }))
    }

    private func room(_ text: String) -> Lookup<Target> {
        if text.lowercased() == "all" { return .found(.all) }
        let entries = rooms.map { Entry(Target.room($0.id), $0.name, id: $0.id) }
        return look(for: text, in: entries, prefix: "@")
            ?? .unknown(candidates: nearest(to: "@" + text, among: entries.map { "@" + $0.name }))
    }

    /// A scene by its name, by "ROOM/SCENE", or by its id.
    public func scene(_ text: String) -> Lookup<Scene.ID> {
        let entries = scenes.map { Entry($0.id, $0.name, in: roomName(of: $0), id: $0.id) }
        return look(for: text.trimmed, in: entries)
            ?? .unknown(candidates: nearest(to: text.trimmed, among: entries.map(\.full)))
    }

    /// A bridge by its name or its id.
    public func bridge(_ text: String) -> Lookup<Bridge.ID> {
        let text = text.trimmed
        let entries = bridges
        if let bridge = entries.first(where: { $0.id == Bridge.ID(text) }) { return .found(bridge.id) }
        let named = entries.filter { $0.name.lowercased() == text.lowercased() }
        return switch named.count {
        case 0: .unknown(candidates: entries.map { "\($0.id) (\($0.name))" })
        case 1: .found(named[0].id)
        default: .ambiguous(candidates: named.map(\.id.description))
        }
    }

    /// `nil` where nothing is called so. A whole id wins over a name, a name over a qualified name.
    private func look<Found>(for text: String, in entries: [Entry<Found>], prefix: String = "") -> Lookup<Found>? {
        let wanted = text.lowercased()
        let ways: [(Entry<Found>) -> Bool] = [
            { $0.id == wanted },
            { $0.name.lowercased() == wanted },
            { $0.full.lowercased() == wanted },
            { $0.resource == wanted },
        ]
        for way in ways {
            let found = entries.filter(way)
            if found.count == 1 { return .found(found[0].found) }
            guard found.isEmpty else {
                let full = Set(found.map(\.full)).count == found.count
                return .ambiguous(candidates: found.map { full ? prefix + $0.full : $0.id })
            }
        }
        return nil
    }

    /// The names a slip of the finger away; where there are none, all of them, as far as a person would read.
    private func nearest(to text: String, among names: [String]) -> [String] {
        let wanted = text.lowercased()
        let near = names.map { name in (name: name, distance: editDistance(wanted, name.lowercased())) }
            .filter { entry in
                entry.distance <= max(2, wanted.count / 3)
                    || (wanted.count > 2 && entry.name.lowercased().contains(wanted))
            }
            .sorted { $0.distance < $1.distance }
        var seen: Set<String> = []
        return Array((near.isEmpty ? names : near.map(\.name)).filter { seen.insert($0).inserted }.prefix(12))
    }
}

/// Something that has a name, an id, and perhaps a room that tells it from its namesakes.
private struct Entry<Found: Equatable & Sendable> {
    let found: Found
    let name: String
    let full: String
    let id: String
    let resource: String

    init<Model>(_ found: Found, _ name: String, in room: String? = nil, id: Identity<Model>) {
        self.found = found
        self.name = name
        self.full = room.map { "\($0)/\(name)" } ?? name
        self.id = id.description.lowercased()
        self.resource = id.resource.lowercased()
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
