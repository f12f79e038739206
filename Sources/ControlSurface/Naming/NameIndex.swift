import Synchronization

/// Things by the texts that name them, case ignored. Each text is read once, when it is first needed; a look-up then
/// costs the same whether one thing has the name or all of them do.
struct NameIndex<Found: Hashable & Sendable>: Sendable {
    /// In display order.
    let entries: [NameEntry<Found>]
    /// A table for each way to name a thing, the strongest first. Each list is in display order. Most look-ups end at
    /// the second table, and the others are then never made.
    private let ways: [Lazily<[String: [Found]]>]
    private let places: [Found: Int]
    private let folded: @Sendable (String) -> String

    /// - Parameter folded: makes texts equal that name the same thing.
    init(_ entries: [NameEntry<Found>], folded: @escaping @Sendable (String) -> String = { $0.lowercased() }) {
        self.entries = entries
        self.folded = folded
        places = Dictionary(entries.enumerated().map { ($1.found, $0) }) { first, _ in first }
        ways = NameEntry<Found>.ways.map { _ in Lazily() }
    }

    /// Everything with this name, in display order. A whole id wins over a name, and a name over a qualified name. If a
    /// bridge has a lamp in a room and one of the same name in no room, "BRIDGE/LIGHT" is the latter.
    func called(_ text: String) -> [Found] {
        let wanted = folded(text)
        for (way, texts) in zip(ways, NameEntry<Found>.ways) {
            if let found = way.value({ table(of: texts) })[wanted] { return found }
        }
        return []
    }

    subscript(_ found: Found) -> NameEntry<Found>? { places[found].map { entries[$0] } }

    private func table(of texts: (NameEntry<Found>) -> [String]) -> [String: [Found]] {
        var table: [String: [Found]] = [:]
        for entry in entries {
            // A bridge may be called by its own id: two texts of one thing are then equal.
            for text in Set(texts(entry).map(folded)) { table[text, default: []].append(entry.found) }
        }
        return table
    }
}

/// Something with a name, an id, and perhaps a room and a bridge that distinguish it from others of the same name.
struct NameEntry<Found: Hashable & Sendable>: Sendable {
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

    /// The text a person would rather type, of those that find only this one; its id if none does.
    func text(_ find: (String) -> [Found]) -> String { texts.first { find($0) == [found] } ?? sign + id }

    private var texts: [String] {
        guard names.allSatisfy({ !$0.isEmpty }) else { return [] }
        return (names + inRooms + zip(full, onBridges).flatMap { [$0, $1] }).map { sign + $0 }
    }

    fileprivate static var ways: [(Self) -> [String]] {
        [{ [$0.id] }, \.names, \.inRooms, \.full, \.onBridges, { $0.resource.map { [$0] } ?? [] }]
    }
}

/// A value that is made when it is first needed, once for all copies of its owner.
final class Lazily<Value: Sendable>: Sendable {
    private let made = Mutex<Value?>(nil)

    func value(_ make: () -> Value) -> Value {
        made.withLock { made in
            if let made { return made }
            let value = make()
            made = value
            return value
        }
    }
}
