import FoundationEssentials
import GRDB
import Khipu
import Lighting

/// What could be saved of a damaged database: the rows of the archive that lightd can read, and up to where numbers were
/// given out.
struct SalvagedState: Sendable {
    private let backup: CheckedBackup?
    private let ceilings: [NumberSequence.Name: Int64]

    /// Reads a database that was set aside. It stays as it is; nothing is thrown, because nothing may be readable.
    init(from path: String, closed: ClosedConnections) {
        var configuration = GRDB.Configuration.careful("damaged")
        configuration.readonly = true
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else {
            (backup, ceilings) = (nil, [:])
            return
        }
        defer { try? closed.close(queue) }
        let (file, ceilings): (BackupFile, [NumberSequence.Name: Int64]) = queue.inDatabase { db in
            // What has damaged it may have been a person.
            db.allowOnlyReading()
            var ceilings: [NumberSequence.Name: Int64] = [:]
            for name in [NumberSequence.Name.ticket, .entry] where Self.isTable("mark", db) {
                if let ceiling = try? NumberSequence.fetchCeiling(name, db) { ceilings[name] = ceiling }
            }
            return (Self.file(db), ceilings)
        }
        backup = try? CheckedBackup.salvage(file, closed: closed)
        self.ceilings = ceilings
    }

    private static func file(_ db: Database) -> BackupFile {
        let migrator = Schema.migrator
        let known = migrator.migrations
        // Which of them made these tables. If that is lost, all of them, as nearly always: rows that do not fit are left
        // out.
        let applied = isTable("grdb_migrations", db) ? (try? migrator.appliedIdentifiers(db)) ?? [] : []
        var migrations = known.filter(applied.contains)
        if migrations.isEmpty || migrations != Array(known.prefix(migrations.count)) { migrations = known }
        var tables: [String: [BackupFile.Record]] = [:]
        for table in Schema.archived where isTable(table, db) {
            var records: [BackupFile.Record] = []
            // Up to the first row that cannot be reached, or that the table does not exist.
            try? read(table, db, into: &records)
            tables[table] = records
        }
        return BackupFile(
            created: 0, lightd: "", hasKeys: true, migrations: migrations, tables: tables)
    }

    /// Whether the name is that of a table, and not of a view, or of a virtual table, which runs code of its own.
    private static func isTable(_ name: String, _ db: Database) -> Bool {
        let texts = try? String?.fetchAll(
            db, sql: "SELECT sql FROM sqlite_master WHERE name = ? COLLATE NOCASE", arguments: [name])
        guard let texts, !texts.isEmpty else { return false }
        return texts.allSatisfy { $0?.utf8.starts(with: "CREATE TABLE ".utf8) == true }
    }

    private static func read(_ table: String, _ db: Database, into records: inout [BackupFile.Record]) throws {
        let rows = try Row.fetchCursor(db, sql: "SELECT * FROM \(table)")
        // A damaged table may lead in circles.
        while records.count < 10_000, let row = try rows.next() {
            if let record = try? row.record { records.append(record) }
        }
    }

    /// Writes it into a new database.
    func save(_ db: Database) throws {
        try db.writeDurably {
            try backup?.replaceState(in: db)
            for (name, ceiling) in ceilings {
                try db.execute(
                    sql: "INSERT INTO mark VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                    arguments: [name.rawValue, ceiling])
            }
        }
    }
}

extension Timestamp {
    /// "2026-11-23T020000Z", without the colons that tar and rsync take for a host's name.
    var forFileName: String {
        Date(timeIntervalSince1970: Double(milliseconds / 1000))
            .formatted(Date.ISO8601FormatStyle(timeSeparator: .omitted))
    }
}
