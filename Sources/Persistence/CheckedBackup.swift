import GRDB
import Khipu
import Lighting

/// What a backup holds, in the newest form of the tables, after lightd has read every row of it.
struct CheckedBackup: Sendable {
    private let created: Timestamp
    private let version: String
    private let hasKeys: Bool
    private let tables: [String: [BackupFile.Record]]
    private let contents: BackupSummary.Counts

    /// - Throws: why lightd cannot use the file. Nothing was changed.
    static func check(_ file: BackupFile, closed: ClosedConnections) throws(BackupError) -> Self {
        let file = file.withEmptyKeys
        return try make(file, closed) { db in
            guard Set(file.tables.keys).isSubset(of: Schema.archived) else {
                throw CorruptRow("it has a table that a backup has not")
            }
            for table in Schema.archived {
                for record in file.tables[table] ?? [] { try record.insert(into: table, db) }
            }
        } andThen: { db in
            try BackupSummary.Counts.fetch(db, hasTokens: file.hasKeys)
        }
    }

    /// What can be used of a file that may hold anything: the rows that lightd can read.
    ///
    /// - Throws: if none can.
    static func salvage(_ file: BackupFile, closed: ClosedConnections) throws(BackupError) -> Self {
        try make(file, closed) { db in
            for table in Schema.archived {
                // What one row lacks, others may have.
                for record in file.tables[table] ?? [] { try? record.insert(into: table, db) }
            }
        } andThen: { db in
            let saved = try Schema.archived.map { (table: $0, records: try BackupFile.Record.fetchAll($0, db)) }
            for table in Schema.archived.reversed() { try db.execute(sql: "DELETE FROM \(table)") }
            for (table, records) in saved {
                for record in records {
                    // A row that cannot be read is left out, and with it what refers to it.
                    try? db.inSavepoint {
                        try record.insert(into: table, db)
                        _ = try BackupSummary.Counts.fetch(db, hasTokens: true)
                        return .commit
                    }
                }
            }
            return try BackupSummary.Counts.fetch(db, hasTokens: true)
        }
    }

    private static func make(
        _ file: BackupFile, _ closed: ClosedConnections, insert: (Database) throws -> Void,
        andThen count: (Database) throws -> BackupSummary.Counts
    ) throws(BackupError) -> Self {
        let migrator = Schema.migrator
        let known = migrator.migrations
        guard Array(known.prefix(file.migrations.count)) == file.migrations, let last = file.migrations.last else {
            if file.migrations.contains(where: { !known.contains($0) }) { throw .newer(version: file.lightd) }
            throw .wrongFile("it holds what lightd does not write")
        }
        do {
            let scratch = try DatabaseQueue(configuration: .careful("backup"))
            defer { try? closed.close(scratch) }  // In memory: nothing can be lost.
            try migrator.migrate(scratch, upTo: last)
            scratch.inDatabase { $0.confine() }
            try scratch.inTransaction { db in
                try insert(db)
                return .commit
            }
            try migrator.migrate(scratch)
            return try scratch.inDatabase { db in
                // Before it is counted, because it is read like the rest.
                if let memory = try? AutomationState.Memory.fetch(db) { try memory.idle.save(db) }
                let contents = try count(db)
                var tables: [String: [BackupFile.Record]] = [:]
                for table in Schema.archived { tables[table] = try BackupFile.Record.fetchAll(table, db) }
                return Self(
                    created: Timestamp(milliseconds: file.created), version: file.lightd, hasKeys: file.hasKeys,
                    tables: tables, contents: contents)
            }
        } catch {
            throw .wrongFile("it holds what lightd does not write (\(PersistenceError(error)))")
        }
    }

    /// What ``replaceState(in:)`` would do.
    func summary(replacing db: Database) throws -> BackupSummary {
        let live = try Self.bridges(db)
        let bridges = tables["bridge"] ?? []
        let ids = Set(bridges.compactMap { $0["id"] })
        return BackupSummary(
            created: created, version: version, hasKeys: hasKeys, contents: contents,
            replaced: try BackupSummary.Counts.fetch(db, hasTokens: hasKeys),
            withoutKey: Self.names(bridges.filter { completed($0, by: live) == nil }),
            unpaired: Self.names(live.filter { !ids.contains(.text($0.key)) }.map(\.value)))
    }

    /// Replaces what the archive's tables contain. Belongs in a transaction.
    ///
    /// A bridge whose key is not in the backup keeps the one that the database has for it; without one it is left out,
    /// with its scenes. What is remembered of lights, and could be undone, belongs to the state that is replaced.
    func replaceState(in db: Database) throws {
        let live = try Self.bridges(db)
        let replaced = Schema.archived.filter { hasKeys || $0 != Schema.token }
        for table in replaced.reversed() { try db.execute(sql: "DELETE FROM \(table)") }
        try Memory.delete(db)
        var paired: Set<BackupFile.Value> = []
        for table in replaced {
            for record in tables[table] ?? [] {
                switch table {
                case "bridge":
                    guard let bridge = completed(record, by: live), let id = bridge["id"] else { continue }
                    paired.insert(id)
                    try bridge.insert(into: table, db)
                case _ where Schema.ofBridges.contains(table):
                    if let id = record["bridge"], paired.contains(id) { try record.insert(into: table, db) }
                default: try record.insert(into: table, db)
                }
            }
        }
    }

    /// With the key of the same bridge in the database, if it has none, and where lightd has found the bridge since.
    ///
    /// - Returns: `nil` if there is no key.
    private func completed(_ bridge: BackupFile.Record, by live: [String: BackupFile.Record]) -> BackupFile.Record? {
        let known = bridge["id"]?.text.flatMap { live[$0] }
        var bridge = bridge
        for column in ["host", "port"] { if let value = known?[column] { bridge[column] = value } }
        guard bridge["key"] == .text("") else { return bridge }
        guard let known else { return nil }
        // A key is for one API, and what the bridge's certificate must be was seen when the key was made.
        for column in ["key", "clientKey", "trust", "pin", "api"] { bridge[column] = known[column] }
        return bridge
    }

    /// By id.
    private static func bridges(_ db: Database) throws -> [String: BackupFile.Record] {
        let bridges = try BackupFile.Record.fetchAll("bridge", db).compactMap { record in
            record["id"]?.text.map { ($0, record) }
        }
        return Dictionary(bridges) { $1 }
    }

    private static func names(_ bridges: some Sequence<BackupFile.Record>) -> [String] {
        bridges.compactMap { $0["name"]?.text }.sorted()
    }
}

extension BackupFile {
    /// With an empty text in the place of keys that it does not have: the tables demand one.
    fileprivate var withEmptyKeys: Self {
        guard !hasKeys else { return self }
        var tables = tables
        tables[Schema.token] = nil
        tables["bridge"] = tables["bridge"]?.map { record in
            var record = record
            record["key"] = .text("")
            record["clientKey"] = nil
            return record
        }
        return Self(created: created, lightd: lightd, hasKeys: hasKeys, migrations: migrations, tables: tables)
    }
}

extension BackupSummary.Counts {
    /// Reads every row, so that one which lightd cannot read is found.
    fileprivate static func fetch(_ db: Database, hasTokens: Bool) throws -> Self {
        let automations = try Automation.fetchAll(db)
        _ = try AutomationState.Memory.fetch(db)
        _ = try SceneOrder.fetchAll(db)
        let tokens = try AccessToken.fetchAll(db)
        return Self(
            bridges: try Pairing.fetchAll(db, at: Timestamp(milliseconds: 0)).map(\.bridge.name),
            scenes: try Scene.fetchAll(db).count, automations: automations.count { !$0.isTimer },
            timers: automations.count(where: \.isTimer), pins: try Dashboard.fetch(db).pins.count,
            bindings: try SwitchBinding.fetchAll(db).count, curves: try Curve.fetchAll(db).count,
            followings: try Following.fetchAll(db).count, tokens: hasTokens ? tokens.count : nil)
    }
}
