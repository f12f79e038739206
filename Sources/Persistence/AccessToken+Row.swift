import GRDB
import Khipu
import Lighting

extension AccessToken {
    /// All tokens, by name.
    static func fetchAll(_ db: Database) throws -> [Self] {
        try Row.fetchAll(db, sql: "SELECT * FROM token ORDER BY name").map(Self.init)
    }

    private init(_ row: Row) throws {
        let (name, text): (String, String) = (row["name"], row["access"])
        guard let access = Access(rawValue: text) else {
            throw CorruptRow("token '\(name)' has an unknown access '\(text)'")
        }
        let (digest, created): (String, Int64) = (row["digest"], row["created"])
        let (end, lastUsed): (Int64?, Int64?) = (row["end"], row["lastUsed"])
        let (isMadeByLink, maker): (Bool, String?) = (row["isMadeByLink"], row["maker"])
        let signedInWith: String? = row["signedInWith"]
        let origin: Origin = isMadeByLink ? .link(maker: maker) : signedInWith.map { .signIn(maker: $0) } ?? .command
        self.init(
            name: name, access: access, digest: digest, created: Timestamp(milliseconds: created),
            end: end.map { Timestamp(milliseconds: $0) }, origin: origin,
            lastUsed: lastUsed.map { Timestamp(milliseconds: $0) })
    }

    func insert(_ db: Database) throws {
        let (isMadeByLink, maker, signedInWith): (Bool, String?, String?) =
            switch origin {
            case .command: (false, nil, nil)
            case let .link(maker): (true, maker, nil)
            case let .signIn(maker): (false, nil, maker)
            }
        try db.execute(
            sql: """
                INSERT INTO token (name, access, digest, created, "end", isMadeByLink, maker, signedInWith, lastUsed)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                name, access.rawValue, digest, created.milliseconds, end?.milliseconds, isMadeByLink, maker,
                signedInWith, lastUsed?.milliseconds,
            ])
    }

    static func delete(_ digests: Set<String>, _ db: Database) throws {
        for digest in digests { try db.execute(sql: "DELETE FROM token WHERE digest = ?", arguments: [digest]) }
    }

    static func note(_ name: String, _ lastUsed: Timestamp, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE token SET lastUsed = ? WHERE name = ?", arguments: [lastUsed.milliseconds, name])
    }
}
