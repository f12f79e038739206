import GRDB
import Khipu
import Lighting

/// Opens the database: checks the archive, migrates and reads it. The journal's size does not matter.
struct OpenedDatabase {
    let queue: DatabaseQueue
    let contents: Archive.Contents
    let tickets: TicketSequence
    /// The number of the journal's last entry.
    let lastEntry: Int64

    /// - Throws: ``StateDatabaseError``, `DatabaseError`, ``CorruptRow``.
    init(at path: String, journal: JournalPolicy, now: Timestamp) throws {
        var configuration = GRDB.Configuration()
        configuration.label = "state"
        // The user may have it open in the sqlite3 shell.
        configuration.busyMode = .timeout(5)
        queue = try DatabaseQueue(path: path, configuration: configuration)
        let migrator = Schema.migrator
        // Checked before anything is written: a foreign or damaged database stays as it is.
        try queue.inDatabase { db in
            let isBlank = try Self.check(db, migrator, at: path)
            let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
            guard mode == "wal" else {
                throw StateDatabaseError.unusable(
                    path: path, cause: "its file system does not support a write-ahead log")
            }
            if isBlank { try Schema.sign(db) }
        }
        try migrator.migrate(queue)
        (contents, tickets, lastEntry) = try queue.inDatabase { db in
            let contents = Archive.Contents(
                pairings: try Pairing.fetchAll(db, at: now),
                scenes: try Scene.fetchAll(db),
                dashboard: try Dashboard.fetch(db)
            )
            let tickets = TicketSequence(raisedFrom: try TicketSequence.fetchCeiling(db), journal: journal)
            try db.writeDurably { try tickets.save(db) }
            return (contents, tickets, try Journal.Entry.fetchLastNumber(db))
        }
    }

    /// Returns whether the database is empty.
    ///
    /// - Throws: if it belongs to another program, is damaged, or was written by a newer lightd.
    private static func check(_ db: Database, _ migrator: DatabaseMigrator, at path: String) throws -> Bool {
        let owner = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let isBlank = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
        guard owner == Schema.applicationID || (owner == 0 && isBlank) else {
            throw StateDatabaseError.foreign(path: path)
        }
        if let flaw = try DatabaseInspection.flawBesideJournal(db) {
            throw StateDatabaseError.damaged(path: path, detail: flaw)
        }
        if try migrator.hasBeenSuperseded(db) { throw StateDatabaseError.newer(path: path) }
        return isBlank
    }
}
