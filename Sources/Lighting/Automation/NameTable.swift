/// Things of one kind by the texts that name them, case ignored: the same texts, with the same precedence, with which
/// people name them in commands.
struct NameTable<ID: Hashable & Sendable>: Sendable {
    /// A table for each way to name a thing, the strongest first: its id, its name, "ROOM/NAME", "BRIDGE/ROOM/NAME",
    /// "BRIDGE/NAME", its bridge's own id for it.
    private var ways: [[String: [ID]]] = Array(repeating: [:], count: 6)
    /// As a person would rather type them, the id last.
    private var texts: [ID: [String]] = [:]
    /// All of them, folded.
    private var folded: [ID: Set<String>] = [:]

    /// A longer name of a room or a bridge is no part of another name: many would fill the memory.
    private static var longestQualifier: Int { 128 }

    /// A thing that no bridge or room distinguishes.
    mutating func add(_ thing: ID, _ name: String, id: String) {
        add(thing, [[id], [name.withoutBlanks]])
        texts[thing] = [name.withoutBlanks, id].filter { !$0.isEmpty }
    }

    mutating func add<Model>(
        _ thing: ID, _ name: String, in room: String? = nil, id: QualifiedID<Model>, on bridge: Bridge?
    ) {
        let (name, room) = (name.withoutBlanks, Self.qualifier(room))
        let bridges = [Self.qualifier(bridge?.name), id.bridge.description].compactMap(\.self)
        let inRoom = room.map { "\($0)/\(name)" }
        let full = bridges.map { "\($0)/\(inRoom ?? name)" }
        let onBridge = bridges.map { "\($0)/\(name)" }
        add(thing, [[id.description], [name], inRoom.map { [$0] } ?? [], full, onBridge, [id.resource]])
        let typed =
            name.isEmpty ? [] : [name] + (inRoom.map { [$0] } ?? []) + zip(full, onBridge).flatMap { [$0, $1] }
        texts[thing] = typed + [id.description]
    }

    private mutating func add(_ thing: ID, _ texts: [[String]]) {
        for (way, texts) in texts.enumerated() {
            for text in Set(texts.map(\.folded)) {
                ways[way][text, default: []].append(thing)
                folded[thing, default: []].insert(text)
            }
        }
    }

    private static func qualifier(_ name: String?) -> String? {
        name.flatMap { $0.utf8.count <= longestQualifier ? $0.withoutBlanks : nil }
    }

    /// Everything with this name.
    func called(_ text: String) -> [ID] {
        let text = text.withoutBlanks.folded
        return ways.lazy.compactMap { $0[text] }.first ?? []
    }

    /// What a person would type to name it, best first and its id last; nothing if it does not exist.
    func texts(naming thing: ID) -> [String] { texts[thing] ?? [] }

    /// Every text that names it, also with others, folded.
    func allTexts(naming thing: ID) -> Set<String> { folded[thing] ?? [] }
}

extension String {
    /// Without the whitespace around it.
    fileprivate var withoutBlanks: String {
        guard first?.isWhitespace == true || last?.isWhitespace == true else { return self }
        let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? startIndex
        return String(self[..<end].drop { $0.isWhitespace })
    }
}
