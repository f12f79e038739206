import Foundation
import GRDB
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import Persistence

/// Files that somebody has made to do more than to be restored. A backup's digest has no key: anybody can make one.
@Suite struct HostileFileTests {
    let fixture: DatabaseFixture

    init() throws { fixture = try DatabaseFixture() }

    /// What would let somebody in, or lead lightd to another bridge.
    private static let statements = [
        "INSERT INTO m.token(name, access, digest, created) VALUES('backdoor', 'full', '\(digest)', 0)",
        "UPDATE m.bridge SET key = 'stolen'",
        "UPDATE m.bridge SET host = '203.0.113.1', trust = 'plain', api = 1, pin = NULL",
        "DELETE FROM m.bridge",
        "CREATE TRIGGER m.later AFTER INSERT ON mark BEGIN DELETE FROM bridge; END",
    ]

    private static let digest = String(repeating: "ab", count: 32)

    /// The name of a column that ends the INSERT, and goes on with statements of its own.
    private func column(_ statement: String) -> String {
        "name\", \"curve\") SELECT 1, 2 WHERE 0; ATTACH DATABASE '\(fixture.database)' AS m; \(statement); SELECT ?; --"
    }

    private func file(_ tables: [String: [BackupFile.Record]], hasKeys: Bool = true) throws -> [UInt8] {
        try BackupFile(
            created: 0, lightd: "1.0", hasKeys: hasKeys, migrations: Schema.migrator.migrations, tables: tables
        ).bytes
    }

    private func expectSame(_ contents: Archive.Contents) throws {
        let pairings = try fixture.read { try Pairing.fetchAll($0, at: .sample) }
        #expect(pairings.map(\.unconnected) == contents.pairings.map(\.unconnected))
        #expect(try fixture.read { try AccessToken.fetchAll($0) } == contents.tokens)
        #expect(
            try fixture.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger'") }
                == [])
    }

    private func filled() async throws -> (StateDatabase, Archive.Contents) {
        let database = try fixture.open()
        #expect(await database.archive.keep(.pairing(.make(trust: .pinned("sha256//QQ==")))) == .succeeded)
        #expect(await database.tokens.keep(.make("panel")) == .succeeded)
        await database.close()
        let again = try fixture.open()
        return (again, again.contents)
    }

    @Test(arguments: statements) func `the name of a column is no SQL, in a dry run or a restore`(statement: String)
        async throws
    {
        let (filled, contents) = try await filled()
        await filled.close()
        for table in ["curve", "automation", "bridge"] {
            let file = try file([table: [[column(statement): .text("x")]]])
            let database = try fixture.open()
            await #expect(throws: BackupError.self) { try await database.backups.examine(file) }
            await #expect(throws: BackupError.self) { try await database.backups.restore(file) }
            await database.close()
            try expectSame(contents)
            // As if somebody had put it there.
            try Data(file).write(to: URL(fileURLWithPath: "\(fixture.directory)/\(StateDirectory.restoreName)"))
            let restarted = try fixture.open()
            guard case .failed = restarted.restoration else { throw TestError("restored") }
            await restarted.close()
            try expectSame(contents)
        }
    }

    @Test func `a table or column that a backup does not have is refused`() async throws {
        let (database, contents) = try await filled()
        let good: BackupFile.Record = ["name": .text("office"), "curve": .text("{}")]
        for tables: [String: [BackupFile.Record]] in [
            ["mark": [["name": .text("entry"), "value": .integer(1)]]],
            ["sqlite_master": [["sql": .text("CREATE TABLE x (y)")]]],
            ["curve\" SELECT 1; --": []],
            ["journal": []],
            ["curve": [good.merging(["colour": .null]) { $1 }]],
            ["curve": [good.merging(["rowid": .integer(1)]) { $1 }]],
            ["curve": [good.merging(["Name": .text("x")]) { $1 }]],
        ] {
            let file = try file(tables)
            await #expect(throws: BackupError.self, "\(tables)") { try await database.backups.restore(file) }
        }
        try expectSame(contents)
        await database.close()
    }

    @Test func `whatever names and values a backup has, it is refused or restored, and changes nothing else`()
        async throws
    {
        let (database, contents) = try await filled()
        let sound = try BackupFile(bytes: try await database.backups.make(true, "1.0", .sample))
        await database.close()
        let pieces =
            Self.statements.map(column) + ["\"", "\"\"", "'", ";", "--", "/*", "\0", "?", "\"\u{301}", "]", "`", "é"]
            + ["id", "key", "name", "curve", "place", "host", "rowid", "_rowid_", "oid", "CURVE", "client\u{212A}ey"]
        func hostile(_ random: inout SplitMix) -> String {
            (0..<(1 + random.pick(2))).map { _ in random.oneOf(pieces) }.joined()
        }
        func value(_ random: inout SplitMix) -> BackupFile.Value {
            [.null, .integer(.max), .integer(0), .text(hostile(&random))][random.pick(4)]
        }
        let closed = ClosedConnections()
        try await Fuzzing("backup").batches(1) { seed in
            var random = SplitMix(seed: seed)
            for _ in 0..<60 {
                var tables = sound.tables
                for _ in 0...random.pick(3) {
                    let table = random.pick(8) == 0 ? hostile(&random) : random.oneOf(Schema.archived)
                    var records = tables[table] ?? []
                    var record = records.popLast() ?? [:]
                    if random.pick(3) > 0 { record[hostile(&random)] = value(&random) }
                    if let column = record.keys.sorted().randomElement(using: &random) {
                        record[column] = value(&random)
                    }
                    records.append(record)
                    tables[table] = records
                }
                let file = BackupFile(
                    created: 0, lightd: hostile(&random), hasKeys: random.pick(2) == 0,
                    migrations: random.pick(9) == 0 ? [hostile(&random)] : sound.migrations, tables: tables)
                do { _ = try CheckedBackup.check(file, closed: closed) } catch is BackupError {}
                do { _ = try CheckedBackup.salvage(file, closed: closed) } catch is BackupError {}
            }
        }
        try expectSame(contents)
    }

    @Test func `a damaged database gives rows of tables, and nothing that is computed by what it says`() async throws {
        let (database, contents) = try await filled()
        _ = await database.archive.keep(.followings([], curves: ["office": .daylight]))
        await database.close()
        try fixture.execute(
            """
            ALTER TABLE curve RENAME TO hidden;
            CREATE VIEW curve AS SELECT 'view' AS name, curve FROM hidden;
            DROP TABLE token;
            CREATE VIRTUAL TABLE token USING fts4(name, access, digest, created, isMadeByLink);
            INSERT INTO token VALUES ('virtual', 'full', '\(Self.digest)', 1, 0);
            CREATE TRIGGER later AFTER INSERT ON mark BEGIN DELETE FROM bridge; END;
            DROP TABLE mark;
            CREATE VIEW mark AS SELECT 'ticket' AS name, 9000000000000000000 AS value;
            ALTER TABLE dashboardPin RENAME TO pins;
            CREATE TABLE dashboardPin (
                place INTEGER PRIMARY KEY, kind TEXT, target TEXT, display TEXT,
                odd TEXT AS (printf('%.*c', 20000000, 'x')));
            INSERT INTO dashboardPin VALUES (1, 'all', NULL, 'slider');
            """)
        let salvaged = SalvagedState(from: fixture.database, closed: ClosedConnections())
        let other = try DatabaseFixture()
        await (try other.open()).close()
        try DatabaseQueue(path: other.database).inDatabase { try salvaged.save($0) }
        let saved = try other.open()
        #expect(saved.contents.pairings.map(\.unconnected) == contents.pairings.map(\.unconnected))
        #expect(saved.contents.tokens == [] && saved.contents.curves == [:])
        #expect(saved.contents.dashboard == Dashboard())
        #expect(saved.nextTicketNumber < 1_000_000_000)
        await saved.close()
    }

    @Test func `over a connection that only reads nothing but tables can be read`() throws {
        let queue = try DatabaseQueue(configuration: .careful("test"))
        try queue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT a FROM t")
            db.allowOnlyReading()
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
            for sql in [
                "SELECT a FROM v", "SELECT hex(a) FROM t", "PRAGMA user_version",
                "SELECT * FROM pragma_table_info('t')",
                "INSERT INTO t VALUES (2)", "ATTACH '\(fixture.root)/other' AS m", "CREATE TABLE u (a)", "VACUUM",
            ] {
                #expect(throws: DatabaseError.self, "\(sql)") { try db.execute(sql: sql) }
            }
        }
        #expect(!FileManager.default.fileExists(atPath: fixture.root + "/other"))
    }
}
