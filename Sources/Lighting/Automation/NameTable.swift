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

/// A name that stands in an automation, and as what it is looked up.
public struct NameUse: Hashable, Codable, Sendable {
    public let role: NameRole
    /// As it is written there.
    public let text: String

    public init(_ role: NameRole, _ text: String) { (self.role, self.text) = (role, text) }

    /// Equal for names that are looked up alike.
    var folded: Self { Self(role, text.folded) }

    /// Whether it means the whole home, which has no other name.
    var isAll: Bool { role == .lights && ["all", "@all"].contains(text.folded) }
}

/// What a name means.
public enum NamedThing: Hashable, Codable, Sendable {
    case light(Light.ID)
    case room(Room.ID)
    case scene(Scene.ID)
    case sensor(Sensor.ID)
    case bridge(Bridge.ID)

    /// Its id, which names it whatever it is called.
    var text: String {
        switch self {
        case let .light(id): id.description
        case let .room(id): id.description
        case let .scene(id): id.description
        case let .sensor(id): id.description
        case let .bridge(id): id.description
        }
    }

    var bridge: Bridge.ID {
        switch self {
        case let .light(id): id.bridge
        case let .room(id): id.bridge
        case let .scene(id): id.bridge
        case let .sensor(id): id.bridge
        case let .bridge(id): id
        }
    }

    /// "light"
    var kind: String {
        switch self {
        case .light: "light"
        case .room: "room"
        case .scene: "scene"
        case .sensor: "sensor"
        case .bridge: "bridge"
        }
    }
}

// MARK: - Where names stand

// The one place that knows which parts of an automation are names: what finds them and what replaces them both ask here.

extension Automation {
    /// With other names in the place of its own.
    func replacingNames(_ commands: CommandResolver, by name: (NameUse) -> String) -> Self {
        let steps = steps.map { step -> Step in
            switch step {
            case let .command(command): .command(commands.renamed(command, name))
            case .wait: step
            case let .waitFor(check, for: duration, atMost: longest):
                .waitFor(check.replacingNames(by: name), for: duration, atMost: longest)
            case let .restore(target): .restore(name(NameUse(.lights, target)))
            }
        }
        return with(
            triggers: triggers.map { $0.replacingNames(by: name) },
            conditions: conditions.map { $0.replacingNames(by: name) }, steps: steps)
    }

    /// Every name in it, in order.
    func allNameUses(_ commands: CommandResolver) -> [NameUse] {
        var uses: [NameUse] = []
        _ = replacingNames(commands) { use in
            uses.append(use)
            return use.text
        }
        return uses
    }

    /// The names in it, each once, without those of the whole home.
    func nameUses(_ commands: CommandResolver) -> [NameUse] {
        allNameUses(commands).filter { !$0.isAll }.unique
    }
}

extension Automation.Trigger {
    fileprivate func replacingNames(by name: (NameUse) -> String) -> Self {
        switch self {
        case .clock: self
        case let .becomes(check, for: duration): .becomes(check.replacingNames(by: name), for: duration)
        case let .press(sensor, button, press): .press(sensor: name(NameUse(.sensor, sensor)), button: button, press)
        }
    }
}

extension Automation.Condition {
    fileprivate func replacingNames(by name: (NameUse) -> String) -> Self {
        switch self {
        case .between, .days, .elevation: self
        case let .check(check): .check(check.replacingNames(by: name))
        case let .not(condition): .not(condition.replacingNames(by: name))
        case let .any(conditions): .any(conditions.map { $0.replacingNames(by: name) })
        }
    }
}

extension Automation.Check {
    fileprivate func replacingNames(by name: (NameUse) -> String) -> Self {
        switch self {
        case let .motion(sensor, isSeen): .motion(name(NameUse(.sensor, sensor)), isSeen)
        case let .contact(sensor, isOpen: isOpen): .contact(name(NameUse(.sensor, sensor)), isOpen: isOpen)
        case let .power(target, power): .power(name(NameUse(.lights, target)), power)
        case let .lightLevel(sensor, comparison): .lightLevel(name(NameUse(.sensor, sensor)), comparison)
        case let .temperature(sensor, comparison): .temperature(name(NameUse(.sensor, sensor)), comparison)
        case let .bridge(bridge, isConnected: isConnected):
            .bridge(bridge.map { name(NameUse(.bridge, $0)) }, isConnected: isConnected)
        }
    }

    /// The name of what it looks at; `nil` if that is any bridge.
    var nameUse: NameUse? {
        switch self {
        case let .motion(name, _), let .contact(name, _), let .lightLevel(name, _), let .temperature(name, _):
            NameUse(.sensor, name)
        case let .power(name, _): NameUse(.lights, name)
        case let .bridge(name, _): name.map { NameUse(.bridge, $0) }
        }
    }
}
