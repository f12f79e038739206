import GRDB

/// SQLite's own check of the database, and what is done about damage in the journal.
final class DatabaseInspection: Sendable {
    struct Flaw {
        let detail: String
        let isInArchive: Bool
    }

    private let path: String
    private let closed: ClosedConnections

    init(path: String, closed: ClosedConnections) {
        self.path = path
        self.closed = closed
    }

    /// The first flaw in the file, `nil` if it is sound or cannot be checked now. Reads the whole file over a
    /// connection of its own, so that nothing waits for it; ends early if the task is cancelled.
    func flaw() async -> Flaw? {
        var configuration = GRDB.Configuration.careful("check")
        configuration.readonly = true
        // What prevents reading is reported by those who must read.
        guard let reader = try? DatabaseQueue(path: path, configuration: configuration) else { return nil }
        defer { try? closed.close(reader) }  // Nothing is left to do over it.
        return try? await reader.read { try Self.flaw($0) }
    }

    private static func flaw(_ db: Database) throws -> Flaw? {
        guard let detail = try flaw(in: nil, db) else { return nil }
        let inArchive = try flawInArchive(db)
        return Flaw(detail: inArchive ?? detail, isInArchive: inArchive != nil)
    }

    /// The first flaw in any table but the journal, the access log and what is kept for `away`, which may be large,
    /// and the memory.
    static func flawInArchive(_ db: Database) throws -> String? {
        let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        let others = Schema.expendable + Schema.separate.map(\.table)
        for table in tables where !others.contains(table) {
            if let flaw = try flaw(in: table, db) { return flaw }
        }
        return nil
    }

    /// Replaces the journal and the memory by empty tables, and the separate ones that are damaged themselves. The journal's
    /// entries are lost, and their numbers are not used again. Rebuilds the file from the other tables, so that nothing damaged remains.
    ///
    /// - Throws: if the file is still damaged afterwards, or cannot be written.
    static func replaceJournal(_ db: Database) throws {
        let damaged = try Schema.separate.filter { try flaw(in: $0.table, db) != nil }
        // DROP TABLE would follow the damaged pages. This leaves them to VACUUM, which copies only tables in use.
        try db.execute(sql: "PRAGMA writable_schema = ON")
        do {
            try db.inTransaction(.immediate) {
                for table in Schema.expendable + damaged.map(\.table) {
                    try db.execute(sql: "DELETE FROM sqlite_master WHERE name = ?", arguments: [table])
                }
                return .commit
            }
            try db.execute(sql: "PRAGMA writable_schema = RESET")
        } catch {
            try? db.execute(sql: "PRAGMA writable_schema = RESET")
            throw error
        }
        let made = [Schema.journal, Schema.place, Schema.names, Schema.memory, Schema.followedLights, Schema.usedLamps]
        try db.execute(sql: (made + damaged.map(\.sql)).joined())
        try db.execute(sql: "VACUUM")
        _ = try? db.checkpoint(.truncate)
        if let flaw = try flaw(in: nil, db) { throw CorruptRow(flaw) }
    }

    /// - Parameter table: the whole file if `nil`.
    private static func flaw(in table: String?, _ db: Database) throws -> String? {
        let text: String?
        do {
            // A name from the file. Without one, the whole file is checked up to the first flaw.
            text = try String.fetchOne(db, sql: "SELECT * FROM pragma_quick_check(?)", arguments: [table ?? "1"])
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return error.summary
        }
        guard let text, text != "ok" else { return nil }
        // The first line names the database, the last one the fault.
        return text.split(separator: "\n").last.map(String.init) ?? text
    }
}
