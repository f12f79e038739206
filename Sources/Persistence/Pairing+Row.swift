import GRDB
import Khipu
import Lighting

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
        // Its scenes first: ``GRDB/Database/erase(_:)`` has no foreign keys.
        try db.execute(sql: "DELETE FROM scene WHERE bridge = ?", arguments: [id.description])
        try db.execute(sql: "DELETE FROM bridge WHERE id = ?", arguments: [id.description])
    }
}
