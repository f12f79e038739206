import GRDB
import Glibc
public import Lighting

extension StateDatabase {
    /// Checks the state directory, its disk, the database and the journal. The journal's pages are not checked: lightd
    /// does that after each start.
    public func checks() async -> [Check] {
        [permissions, disk, await databaseCheck] + damagedChecks + [await journalCheck]
    }

    private var damagedChecks: [Check] {
        StateDirectory.damagedDatabases(in: directory).map { path in
            Check(
                "database", .warning, "it was damaged; the damaged one was set aside as \(path)",
                remedy: .other(
                    "restore a backup with 'lightctl restore FILE', or pair and set up what is missing; then delete it: "
                        + "it may hold keys, also of bridges that are forgotten")
            )
        }
    }

    private var permissions: Check {
        guard let exposed = StateDirectory.exposed(at: directory).first else {
            return Check("state directory", .ok, "\(directory), private to lightd")
        }
        let mode = String(exposed.mode, radix: 8)
        return Check(
            "state directory", .failure(.badConfiguration),
            "others can access \(exposed.path) (mode \(mode)), and the keys of your bridges are there",
            remedy: .other("chmod \(String(exposed.wanted, radix: 8)) \(exposed.path)"))
    }

    /// Below the first, warns; below the second, writing is about to fail. In bytes.
    private static let (littleSpace, noSpace) = (100 << 20, 4 << 20)

    private var disk: Check {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else {
            return Check(
                "disk", .failure(.badConfiguration), "cannot look at \(directory): \(String(cString: strerror(errno)))")
        }
        let free = Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
        let text = "\(free >> 20) MB free for \(directory)"
        let remedy = Remedy.other("make room there, or name another directory with 'state_dir'")
        if status.f_flag & UInt(ST_RDONLY) != 0 {
            return Check(
                "disk", .failure(.badConfiguration), "\(directory) is on a read-only file system", remedy: remedy)
        }
        if free < Self.noSpace { return Check("disk", .failure(.badConfiguration), text, remedy: remedy) }
        return free < Self.littleSpace ? Check("disk", .warning, text, remedy: remedy) : Check("disk", .ok, text)
    }

    private var databaseCheck: Check {
        get async {
            if let obstacle = database.obstacle {
                return Check(
                    "database", .failure(.badConfiguration), "can only be read: \(obstacle)",
                    remedy: .other("make room on its disk, or make it writable; lightd tries again by itself"))
            }
            switch await database.perform({ try DatabaseInspection.flawInArchive($0) }) {
            case .success(nil): return Check("database", .ok, "bridges, scenes and the dashboard are sound")
            case let .success(flaw?):
                return Check(
                    "database", .failure(.badConfiguration), "damaged: \(flaw)",
                    remedy: .other(
                        "restart lightd, which saves what it can; then restore a backup with 'lightctl restore FILE'"))
            case let .failure(error):
                return Check("database", .failure(.badConfiguration), "cannot be read: \(error)")
            }
        }
    }

    private var journalCheck: Check {
        get async {
            guard let journalStore else { return Check("journal", .ok, "off (journal.enabled)") }
            let read = await database.perform { (try Journal.Entry.fetchCount($0), try DatabaseSize.fetch($0).file) }
            switch read {
            case let .success((entries, bytes)):
                let size = bytes < 1 << 20 ? "\(bytes >> 10) KB" : "\(bytes >> 20) MB"
                let text = "on, \(entries == 1 ? "1 entry" : "\(entries) entries"); the database has \(size)"
                let lost = journalStore.lostCount
                guard lost > 0 else { return Check("journal", .ok, text) }
                return Check(
                    "journal", .warning,
                    "\(text); \(lost) were lost since lightd started, because the disk took too long",
                    remedy: .other("lights are not affected; look at the disk, or put 'state_dir' on a faster one"))
            case let .failure(error): return Check("journal", .warning, "cannot be read: \(error)")
            }
        }
    }
}

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

/// The size of the database in bytes, from the first page of its file. Reads nothing else.
struct DatabaseSize: Equatable {
    let file: Int
    let unused: Int

    var used: Int { file - unused }

    static func fetch(_ db: Database) throws -> Self {
        func number(_ name: String) throws -> Int { try Int.fetchOne(db, sql: "PRAGMA \(name)") ?? 0 }
        let page = try number("page_size")
        return Self(file: try number("page_count") * page, unused: try number("freelist_count") * page)
    }

    /// Whether compacting would give back much: SQLite reuses pages, but never returns them to the file system.
    func isWasteful(within bytes: Int) -> Bool { file > bytes && unused > file / 4 }
}
