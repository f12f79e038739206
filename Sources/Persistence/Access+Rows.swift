import GRDB
import Khipu
import Lighting

extension AccessEvent {
    /// The newest rows are kept however old they are: nobody loses them to a clock that is wrong by years.
    static let keptRows = 1000

    private init(_ row: Row) throws {
        let text: String = row["kind"]
        guard let kind = Kind(rawValue: text) else { throw CorruptRow("an access event has an unknown kind '\(text)'") }
        self.init(
            kind, at: Timestamp(milliseconds: row["time"]), by: row["sender"], about: row["subject"],
            because: row["reason"], hasFailed: row["failed"], count: row["count"])
    }

    func insert(_ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO access (time, kind, sender, subject, reason, failed, count) VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [time.milliseconds, kind.rawValue, sender, subject, reason, hasFailed, count])
    }

    /// The newest ones that the filter lets through, oldest first, without those that a newer lightd has written.
    static func fetch(_ filter: AccessLog.Filter, limit: Int, _ db: Database) throws -> [Self] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM access WHERE (?1 IS NULL OR time >= ?1) AND (?2 IS NULL OR time < ?2)
                ORDER BY number DESC LIMIT ?3
                """,
            arguments: [filter.since?.milliseconds, filter.until?.milliseconds, limit]
        ).compactMap { try? Self($0) }.reversed()
    }

    /// Deletes what is older than ``AccessLog/keptFor``, but for the newest rows.
    static func trim(at now: Timestamp, keeping rows: Int, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM access WHERE number <= (SELECT max(number) FROM access) - ? AND time < ?",
            arguments: [rows, now.milliseconds - Int64(AccessLog.keptFor / .milliseconds(1))])
    }

    /// About what all rows take, in bytes, and not less: told from the first and the last one.
    static func size(_ db: Database) throws -> Int {
        let longestRow = 400
        let count = try Int.fetchOne(db, sql: "SELECT ifnull(max(number), 0) - ifnull(min(number), 0) FROM access") ?? 0
        return count * longestRow
    }
}

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
            lastUsed: lastUsed.map { Timestamp(milliseconds: $0) }, isNamed: row["isNamed"])
    }

    /// The columns of where it comes from.
    private var source: (isMadeByLink: Bool, maker: String?, signedInWith: String?) {
        switch origin {
        case .command: (false, nil, nil)
        case let .link(maker): (true, maker, nil)
        case let .signIn(maker): (false, nil, maker)
        }
    }

    func insert(_ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO token
                    (name, access, digest, created, "end", isMadeByLink, maker, signedInWith, lastUsed, isNamed)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                name, access.rawValue, digest, created.milliseconds, end?.milliseconds, source.isMadeByLink,
                source.maker, source.signedInWith, lastUsed?.milliseconds, isNamed,
            ])
    }

    /// Writes what can change of it.
    func update(_ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE token SET name = ?, "end" = ?, isMadeByLink = ?, maker = ?, signedInWith = ?, isNamed = ?
                WHERE digest = ?
                """,
            arguments: [
                name, end?.milliseconds, source.isMadeByLink, source.maker, source.signedInWith, isNamed, digest,
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
