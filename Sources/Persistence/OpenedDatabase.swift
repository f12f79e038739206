import GRDB
import Khipu
import Lighting

/// A database that was checked, migrated and read.
struct OpenedDatabase {
    let queue: DatabaseQueue
    let contents: Archive.Contents
    let mark: TicketMark
    /// The number of the journal's last entry.
    let lastEntry: Int64

    /// - Throws: ``StateDatabaseError``, `DatabaseError`, ``Damage``.
    init(at path: String, journal: JournalPolicy, now: Timestamp) throws {
        var configuration = GRDB.Configuration()
        configuration.label = "state"
        // Somebody may look in with the sqlite3 shell.
        configuration.busyMode = .timeout(5)
        queue = try DatabaseQueue(path: path, configuration: configuration)
        let migrator = Schema.migrator
        // Looks first: a database that is not ours, or not whole, is left as it is.
        try queue.inDatabase { db in
            let isBlank = try Self.check(db, migrator, at: path)
            let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
            guard mode == "wal" else {
                throw StateDatabaseError.unusable(path: path, cause: "its file system cannot hold a write-ahead log")
            }
            if isBlank { try Schema.sign(db) }
        }
        try migrator.migrate(queue)
        (contents, mark, lastEntry) = try queue.inDatabase { db in
            let contents = Archive.Contents(
                pairings: try Pairing.fetchAll(db, at: now),
                scenes: try Scene.fetchAll(db),
                dashboard: try Dashboard.fetch(db)
            )
            let mark = TicketMark(raisedFrom: try TicketMark.fetchCeiling(db), journal: journal)
            try db.saveForGood { try mark.save(db) }
            return (contents, mark, try Journal.Entry.fetchLastNumber(db))
        }
    }

    /// Whether there is nothing in it yet.
    private static func check(_ db: Database, _ migrator: DatabaseMigrator, at path: String) throws -> Bool {
        let owner = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let isBlank = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
        guard owner == Schema.applicationID || (owner == 0 && isBlank) else {
            throw StateDatabaseError.foreign(path: path)
        }
        if let flaw = try String.fetchOne(db, sql: "PRAGMA quick_check(1)"), flaw != "ok" {
            // The first line names the database, the last one says what is wrong.
            let detail = flaw.split(separator: "\n").last.map(String.init) ?? flaw
            throw StateDatabaseError.damaged(path: path, detail: detail)
        }
        if try migrator.hasBeenSuperseded(db) { throw StateDatabaseError.newer(path: path) }
        return isBlank
    }
}
