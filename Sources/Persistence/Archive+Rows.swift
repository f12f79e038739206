import FoundationEssentials
import GRDB
import Khipu
import Lighting

/// A row whose values lightd never writes.
struct CorruptRow: Error {
    let detail: String

    init(_ detail: String) {
        self.detail = detail
    }
}

extension Scene {
    /// The scenes of one bridge, or of all bridges in turn, in the order in which they were saved.
    static func fetchAll(of bridge: Bridge.ID? = nil, _ db: Database) throws -> [Self] {
        try Row.fetchAll(
            db, sql: "SELECT * FROM scene WHERE bridge = ifnull(?, bridge) ORDER BY bridge, place",
            arguments: [bridge?.description]
        )
        .map(Self.init)
    }

    private init(_ row: Row) throws {
        let text: String = row["id"]
        guard let id = ID(text) else { throw CorruptRow("scene '\(text)' has an invalid id") }
        let room: String? = row["room"]
        let lights: String = row["lights"]
        let look: String? = row["look"]
        let turnsOff: String? = row["turnsOff"]
        let smart: String? = row["smart"]
        do {
            self.init(
                id: id,
                name: row["name"],
                room: try room.map {
                    guard let id = Room.ID($0) else { throw CorruptRow("scene '\(text)' has an invalid room") }
                    return id
                },
                lights: try JSONDecoder().decode([Light.ID].self, from: Data(lights.utf8)),
                look: try look.map { try JSONDecoder().decode([LightPatch].self, from: Data($0.utf8)) },
                turnsOff: try turnsOff.map { try JSONDecoder().decode([Light.ID].self, from: Data($0.utf8)) },
                smart: try smart.map { try JSONDecoder().decode(SmartScene.self, from: Data($0.utf8)) }
            )
        } catch is DecodingError {
            throw CorruptRow("scene '\(text)' has an invalid list of lights, colours or time slots")
        }
    }

    static func replaceAll(of bridge: Bridge.ID, by scenes: [Self], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM scene WHERE bridge = ?", arguments: [bridge.description])
        let insert = try db.makeStatement(
            sql: """
                INSERT INTO scene (bridge, place, id, name, room, lights, look, turnsOff, smart)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        for (place, scene) in scenes.enumerated() {
            let lights = String(decoding: try JSONEncoder().encode(scene.lights), as: UTF8.self)
            let look = try scene.look.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
            let turnsOff = try scene.turnsOff.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
            let smart = try scene.smart.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
            try insert.execute(
                arguments: [
                    bridge.description, place, scene.id.description, scene.name, scene.room?.description, lights,
                    look, turnsOff, smart,
                ]
            )
        }
    }
}

extension SceneOrder {
    /// Those of the rooms of one bridge, or of all bridges, in the order of the rooms' ids.
    static func fetchAll(of bridge: Bridge.ID? = nil, _ db: Database) throws -> [Self] {
        try Row.fetchAll(
            db, sql: "SELECT * FROM sceneOrder WHERE bridge = ifnull(?, bridge) ORDER BY room",
            arguments: [bridge?.description]
        )
        .map { row in
            let (room, scenes): (String, String) = (row["room"], row["scenes"])
            guard let id = Room.ID(room),
                let known = try? JSONDecoder().decode([Scene.ID].self, from: Data(scenes.utf8))
            else { throw CorruptRow("the order of the scenes of '\(room)' is not what lightd writes") }
            return Self(of: id, known)
        }
    }

    static func replaceAll(of bridge: Bridge.ID, by orders: [Self], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM sceneOrder WHERE bridge = ?", arguments: [bridge.description])
        let insert = try db.makeStatement(sql: "INSERT INTO sceneOrder (room, bridge, scenes) VALUES (?, ?, ?)")
        for order in orders {
            let scenes = String(decoding: try JSONEncoder().encode(order.scenes), as: UTF8.self)
            try insert.execute(arguments: [order.id.description, bridge.description, scenes])
        }
    }
}

extension Automation {
    /// In order.
    static func fetchAll(_ db: Database) throws -> [Self] {
        try String.fetchAll(db, sql: "SELECT automation FROM automation ORDER BY place").map { text in
            do {
                return try JSONDecoder().decode(Self.self, from: Data(text.utf8))
            } catch {
                throw CorruptRow("automation that cannot be read: \(text)")
            }
        }
    }

    static func replaceAll(by automations: [Self], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM automation")
        let insert = try db.makeStatement(sql: "INSERT INTO automation (place, automation) VALUES (?, ?)")
        for (place, automation) in automations.enumerated() {
            try insert.execute(arguments: [place, try automation.json])
        }
    }
}

extension AutomationState.Memory {
    static func fetch(_ db: Database) throws -> Self? {
        guard let text = try String.fetchOne(db, sql: "SELECT memory FROM automationMemory") else { return nil }
        do {
            return try JSONDecoder().decode(Self.self, from: Data(text.utf8))
        } catch {
            throw CorruptRow("runs of automations that cannot be read")
        }
    }

    func save(_ db: Database) throws {
        try db.execute(
            sql: "INSERT INTO automationMemory VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET memory = excluded.memory",
            arguments: [json])
    }
}

extension Encodable {
    /// The same for equal values.
    fileprivate var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}

extension Dashboard {
    static func fetch(_ db: Database) throws -> Self {
        let exclusions = try Row.fetchAll(db, sql: "SELECT * FROM exclusion").map { row in
            let (light, what): (String, String) = (row["light"], row["what"])
            guard let light = Light.ID(light), let exclusion = Exclusion(rawValue: what) else {
                throw CorruptRow("a light '\(light)' that is left out of '\(what)'")
            }
            return (exclusion, light)
        }
        return Self(
            pins: try Row.fetchAll(db, sql: "SELECT * FROM dashboardPin ORDER BY place").map(DashboardPin.init),
            exclusions: Dictionary(grouping: exclusions, by: \.0).mapValues { Set($0.map(\.1)) })
    }

    func save(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM dashboardPin")
        let insert = try db.makeStatement(
            sql: "INSERT INTO dashboardPin (place, kind, target, display) VALUES (?, ?, ?, ?)"
        )
        for (place, pin) in pins.enumerated() {
            let (kind, target): (String, String?) =
                switch pin.target {
                case let .light(id): ("light", id.description)
                case let .room(id): ("room", id.description)
                case .all: ("all", nil)
                }
            try insert.execute(arguments: [place, kind, target, pin.display.rawValue])
        }
        try db.execute(sql: "DELETE FROM exclusion")
        for (exclusion, lights) in exclusions {
            for light in lights {
                try db.execute(
                    sql: "INSERT INTO exclusion (light, what) VALUES (?, ?)",
                    arguments: [light.description, exclusion.rawValue])
            }
        }
    }
}

extension DashboardPin {
    fileprivate init(_ row: Row) throws {
        let (kind, text, display): (String, String?, String) = (row["kind"], row["target"], row["display"])
        let target: Target? =
            switch kind {
            case "light": text.flatMap { Light.ID($0) }.map(Target.light)
            case "room": text.flatMap { Room.ID($0) }.map(Target.room)
            case "all": .all
            default: nil
            }
        guard let target, let display = LevelControl(rawValue: display) else {
            throw CorruptRow("dashboard pin with an invalid target or display: \(kind) '\(text ?? "")' as '\(display)'")
        }
        self.init(target, display: display)
    }
}

extension Following {
    static func fetchAll(_ db: Database) throws -> [Self] {
        try String.fetchAll(db, sql: "SELECT following FROM following ORDER BY place").map { text in
            do {
                return try JSONDecoder().decode(Self.self, from: Data(text.utf8))
            } catch {
                throw CorruptRow("a following that cannot be read: \(error)")
            }
        }
    }

    static func replaceAll(by followings: [Self], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM following")
        for (place, following) in followings.enumerated() {
            let text = String(decoding: try JSONEncoder().encode(following), as: UTF8.self)
            try db.execute(sql: "INSERT INTO following VALUES (?, ?)", arguments: [place, text])
        }
    }
}

extension Curve {
    /// By name.
    static func fetchAll(_ db: Database) throws -> [String: Self] {
        var curves: [String: Self] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT name, curve FROM curve") {
            let (name, text): (String, String) = (row["name"], row["curve"])
            do {
                curves[name] = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
            } catch {
                throw CorruptRow("the curve '\(name)' cannot be read: \(error)")
            }
        }
        return curves
    }

    static func replaceAll(by curves: [String: Self], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM curve")
        for (name, curve) in curves {
            let text = String(decoding: try JSONEncoder().encode(curve), as: UTF8.self)
            try db.execute(sql: "INSERT INTO curve VALUES (?, ?)", arguments: [name, text])
        }
    }
}

extension SwitchBinding {
    /// In the order of the switches' ids.
    static func fetchAll(_ db: Database) throws -> [Self] {
        try Row.fetchAll(db, sql: "SELECT * FROM binding ORDER BY switch").map { row in
            let (id, text): (String, String) = (row["switch"], row["binding"])
            do {
                return try JSONDecoder().decode(Self.self, from: Data(text.utf8))
            } catch {
                throw CorruptRow("the binding of switch '\(id)' is not what lightd writes")
            }
        }
    }

    static func replaceAll(by bindings: [Self], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM binding")
        let insert = try db.makeStatement(sql: "INSERT INTO binding (switch, binding) VALUES (?, ?)")
        for binding in bindings {
            let text = String(decoding: try JSONEncoder().encode(binding), as: UTF8.self)
            try insert.execute(arguments: [binding.id.description, text])
        }
    }
}

extension Pairing {
    /// All pairings, ordered by id. None is connected yet; `time` is when they count as lost.
    static func fetchAll(_ db: Database, at time: Timestamp) throws -> [Self] {
        try Row.fetchAll(db, sql: "SELECT * FROM bridge ORDER BY id").map { try Self($0, at: time) }
    }

    static func exists(_ id: Bridge.ID, _ db: Database) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM bridge WHERE id = ?)", arguments: [id.description])
            ?? false
    }

    static func fetch(_ id: Bridge.ID, _ db: Database, at time: Timestamp) throws -> Self? {
        try Row.fetchOne(db, sql: "SELECT * FROM bridge WHERE id = ?", arguments: [id.description])
            .map { try Self($0, at: time) }
    }

    private init(_ row: Row, at time: Timestamp) throws {
        guard let id = Bridge.ID(fromOutside: row["id"]) else {
            throw CorruptRow("a bridge has an id that none can have")
        }
        let trust: Trust
        switch (row["trust"] as String, row["pin"] as String?) {
        case ("maker", nil): trust = .maker
        case let ("pinned", pin?): trust = .pinned(pin)
        case ("plain", nil): trust = .plain
        default: throw CorruptRow("bridge \(id) has an invalid trust")
        }
        guard let api = API(rawValue: row["api"]) else { throw CorruptRow("bridge \(id) has an unknown API version") }
        let clientKey: String? = row["clientKey"]
        self.init(
            bridge: Bridge(
                id: id, name: row["name"], model: row["model"],
                address: Bridge.Address(host: row["host"], port: row["port"]),
                connection: .lost(since: time, because: .notReachedYet(id))
            ),
            key: Secret(row["key"]),
            clientKey: clientKey.map(Secret.init),
            trust: trust,
            api: api
        )
    }

    /// Whether both have the same row. The connection's state is not stored.
    func hasSameRow(as other: Self) -> Bool {
        bridge.id == other.bridge.id && bridge.name == other.bridge.name && bridge.model == other.bridge.model
            && bridge.address == other.bridge.address && key == other.key && clientKey == other.clientKey
            && trust == other.trust && api == other.api
    }

    func save(_ db: Database) throws {
        let (trust, pin): (String, String?) =
            switch self.trust {
            case .maker: ("maker", nil)
            case let .pinned(pin): ("pinned", pin)
            case .plain: ("plain", nil)
            }
        try db.execute(
            // Not REPLACE, which would first delete the row and with it the scenes.
            sql: """
                INSERT INTO bridge (id, name, model, host, port, key, clientKey, trust, pin, api)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET name = excluded.name, model = excluded.model, host = excluded.host,
                    port = excluded.port, key = excluded.key, clientKey = excluded.clientKey,
                    trust = excluded.trust, pin = excluded.pin, api = excluded.api
                """,
            arguments: [
                bridge.id.description, bridge.name, bridge.model, bridge.address.host, bridge.address.port,
                key.revealed, clientKey?.revealed, trust, pin, api.rawValue,
            ]
        )
    }

    static func delete(_ id: Bridge.ID, _ db: Database) throws {
        // What belongs to it first: ``GRDB/Database/erase(_:)`` has no foreign keys.
        for table in Schema.ofBridges {
            try db.execute(sql: "DELETE FROM \(table) WHERE bridge = ?", arguments: [id.description])
        }
        try db.execute(sql: "DELETE FROM bridge WHERE id = ?", arguments: [id.description])
    }
}
