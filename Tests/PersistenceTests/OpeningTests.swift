import Foundation
import GRDB
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import Persistence

@Suite struct OpeningTests {
    let fixture: DatabaseFixture

    init() throws { fixture = try DatabaseFixture() }

    @Test func `directory and files are private`() async throws {
        let database = try fixture.open()
        database.journal.append(.note("hello"), .sample)
        await database.flush()
        #expect(try fixture.mode(fixture.directory) == 0o700)
        for name in ["lightd.sqlite", "lightd.sqlite-wal", "lightd.sqlite-shm", "lock"] {
            #expect(try fixture.mode("\(fixture.directory)/\(name)") == 0o600, "\(name)")
        }
        await database.close()
    }

    @Test func `missing parents are created, and access for others is removed`() async throws {
        let nested = fixture.root + "/a/b/state"
        func open() throws -> StateDatabase {
            try StateDatabase.open(
                directory: nested, journal: .off, clock: fixture.time.clock, logger: fixture.log.logger)
        }
        await (try open()).close()
        for (path, mode) in [(nested, 0o755), (nested + "/lightd.sqlite", 0o644), (nested + "/lock", 0o666)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        let database = try open()
        #expect(try fixture.mode(nested) == 0o700)
        #expect(try fixture.mode(nested + "/lightd.sqlite") == 0o600)
        #expect(try fixture.mode(nested + "/lock") == 0o600)
        await database.close()
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
    func `another user's directory is refused`() throws {
        try FileManager.default.createDirectory(atPath: fixture.directory, withIntermediateDirectories: true)
        #expect(chown(fixture.directory, 4711, 4711) == 0)
        #expect(throws: StateDatabaseError.belongsToOthers(path: fixture.directory, owner: 4711, user: 0)) {
            try fixture.open()
        }
    }

    @Test(arguments: [("/proc/nowhere/state", "No such file or directory"), ("/dev/null/state", "Not a directory")])
    func `a path that cannot be created is refused`(path: String, cause: String) {
        let error = #expect(throws: StateDatabaseError.self) {
            try StateDatabase.open(
                directory: path, journal: .off, clock: fixture.time.clock, logger: fixture.log.logger)
        }
        #expect(error?.description.contains("cannot write '/") == true)
        #expect(error?.description.contains(cause) == true)
        #expect(error?.description.contains("'state_dir'") == true)
    }

    @Test func `a second database in the directory is refused until the first is closed`() async throws {
        let first = try fixture.open()
        #expect(throws: StateDatabaseError.inUse(path: fixture.directory)) { try fixture.open() }
        #expect(try lockFromOutside() == 1)
        #expect(await first.archive.keep(.pairing(.make())) == .succeeded)
        await first.close()
        #expect(try lockFromOutside() == 0)
        let second = try fixture.open()
        #expect(second.contents.pairings.count == 1)
        await second.close()
    }

    @Test func `a killed process leaves no lock`() async throws {
        await (try fixture.open()).close()
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        // Prints a line when it has the lock, then waits to be killed. `--no-fork` lets this process itself hold the
        // lock.
        other.arguments = ["--no-fork", fixture.directory + "/lock", "sh", "-c", "echo locked; exec sleep 600"]
        let pipe = Pipe()
        other.standardOutput = pipe
        try other.run()
        #expect(String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self) == "locked\n")
        #expect(throws: StateDatabaseError.inUse(path: fixture.directory)) { try fixture.open() }
        #expect(kill(other.processIdentifier, SIGKILL) == 0)
        other.waitUntilExit()
        await (try fixture.open()).close()
    }

    @Test(arguments: [Corruption.otherProgram, .newerSchema])
    func `a database that is not damaged but not for this lightd is refused and left as it is`(
        corruption: Corruption
    ) async throws {
        try await fill()
        try corruption.apply(on: fixture)
        let before = try contents()
        let error = try #require(throws: StateDatabaseError.self) { try fixture.open() }
        #expect(corruption.explains(error), "\(error)")
        #expect(error.description.contains(fixture.database))
        #expect(!error.description.contains("\n"))
        #expect(!error.description.contains("hue-key"))
        #expect(try contents() == before)
        // The lock is released.
        #expect(try lockFromOutside() == 0)
    }

    @Test(arguments: [Corruption.garbage, .truncated, .scrambledPage, .oddTrust])
    func `a damaged database is set aside as it is, with what can be saved in a new one`(
        corruption: Corruption
    ) async throws {
        try await fill()
        try corruption.apply(on: fixture)
        let before = try contents()
        let database = try fixture.open()
        let aside = fixture.database + ".damaged-\(fixture.time.now.forFileName)"
        #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == before)
        #expect(try fixture.mode(aside) == 0o600)
        #expect(fixture.log.lines.count == 1, "\(fixture.log.lines)")
        #expect(fixture.log.lines.first?.contains("the database was damaged and is set aside") == true)
        #expect(fixture.log.lines.first?.contains("hue-key") == false)
        #expect(database.warnings.count == 1 && database.warnings[0].contains(aside), "\(database.warnings)")
        #expect(await database.checks().contains { $0.name == "database" && $0.result == .warning })
        // Of the bridges only the one that was changed is lost, if their table can be read.
        let bridges = database.contents.pairings.map(\.bridge.name)
        let saved = [Corruption.garbage: [], .scrambledPage: [], .oddTrust: ["Second"]][corruption]
        if let saved { #expect(bridges == saved) }
        if corruption == .scrambledPage || corruption == .oddTrust {
            #expect(database.contents.dashboard == Dashboard(pins: [DashboardPin(.all, display: .slider)]))
            #expect(database.contents.tokens.map(\.name) == ["panel"])
            // No number is given twice.
            #expect(database.nextTicketNumber > 100_000)
        }
        #expect(await database.archive.keep(.pairing(.make(name: "Again"))) == .succeeded)
        await database.close()

        // The next start has nothing to do, and still says where it is.
        let again = try fixture.open()
        #expect(again.contents.pairings.contains { $0.bridge.name == "Again" })
        #expect(again.warnings == database.warnings)
        #expect(fixture.log.lines.count == 1, "\(fixture.log.lines)")
        await again.close()
    }

    /// As if lightd had been killed: before the database was renamed, with its log still in its place, after both, and
    /// while a new one was being made.
    @Test(arguments: 0...3)
    func `what could be saved of a damaged database is not lost if lightd ends before it has saved it`(
        step: Int
    ) async throws {
        try await fill()
        try Corruption.oddTrust.apply(on: fixture)
        let before = try contents()
        let name = "lightd.sqlite.damaged-2020-01-01T000000Z"
        let aside = "\(fixture.directory)/\(name)"
        try Data(name.utf8).write(to: URL(fileURLWithPath: "\(fixture.directory)/lightd.sqlite.salvage"))
        if step > 0 { try FileManager.default.moveItem(atPath: fixture.database, toPath: aside) }
        if step > 1, FileManager.default.fileExists(atPath: fixture.database + "-wal") {
            try FileManager.default.moveItem(atPath: fixture.database + "-wal", toPath: aside + "-wal")
        }
        if step > 2 { try Data().write(to: URL(fileURLWithPath: fixture.database)) }

        let database = try fixture.open()
        #expect(database.contents.pairings.map(\.bridge.name) == ["Second"])
        #expect(database.contents.tokens.map(\.name) == ["panel"])
        await database.close()
        let kept = fixture.database + ".damaged-\(fixture.time.now.forFileName)"
        #expect(try Data(contentsOf: URL(fileURLWithPath: kept)) == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.directory)
        #expect(!names.contains { $0 == name || $0 == "lightd.sqlite.salvage" }, "\(names)")

        let again = try fixture.open()
        #expect(again.contents.pairings.map(\.bridge.name) == ["Second"])
        await again.close()
    }

    /// As a failing disk leaves it.
    @Test(arguments: [
        "", ".", "..", "lock", "lightd.sqlite", "../lightd.sqlite.damaged-1", "lightd.sqlite.damaged-1\0", "nonsense",
    ])
    func `a salvage that names no damaged database changes nothing`(name: String) async throws {
        try await fill()
        let salvage = URL(fileURLWithPath: "\(fixture.directory)/lightd.sqlite.salvage")
        try Data(name.utf8).write(to: salvage)
        let database = try fixture.open()
        #expect(database.contents.pairings.count == 2 && database.warnings.isEmpty)
        #expect(fixture.log.lines.isEmpty, "\(fixture.log.lines)")
        #expect(!FileManager.default.fileExists(atPath: salvage.path))
        await database.close()
    }

    @Test(arguments: [true, false])
    func `a database that is gone or empty is missed`(isGone: Bool) async throws {
        let first = try fixture.open()
        #expect(first.warnings.isEmpty && fixture.log.lines.isEmpty)
        await first.close()
        try FileManager.default.removeItem(atPath: fixture.database)
        if !isGone { try Data().write(to: URL(fileURLWithPath: fixture.database)) }
        let again = try fixture.open()
        #expect(again.warnings.first?.contains("was gone or empty, although lightd has run before") == true)
        #expect(fixture.log.lines.count == 1)
        await again.close()
        let third = try fixture.open()
        #expect(third.warnings.isEmpty)
        await third.close()
    }

    /// The table that says how the others were made; and the header's number of the format.
    @Test(arguments: [true, false])
    func `rows are saved although the database cannot say what they mean`(isFormat: Bool) async throws {
        try await fill()
        if isFormat {
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: fixture.database))
            try file.seek(toOffset: 44)
            try file.write(contentsOf: Data([0, 0, 0, 5]))
            try file.close()
        } else {
            try fixture.scramble(table: "grdb_migrations")
        }
        let database = try fixture.open()
        #expect(fixture.log.lines.first?.contains("the database was damaged and is set aside") == true)
        if !isFormat {
            #expect(database.contents.pairings.count == 2 && database.contents.tokens.map(\.name) == ["panel"])
        }
        await database.close()
    }

    /// Two bridges, a pin, a token and a journal.
    private func fill() async throws {
        let database = try fixture.open()
        #expect(await database.archive.keep(.pairing(.make(name: "First"))) == .succeeded)
        #expect(await database.archive.keep(.pairing(.make("ecb5fafffe999999", name: "Second"))) == .succeeded)
        let dashboard = Dashboard(pins: [DashboardPin(.all, display: .slider)])
        #expect(await database.archive.keep(.dashboard(dashboard)) == .succeeded)
        #expect(await database.tokens.keep(.make("panel")) == .succeeded)
        for number in 1...400 { database.journal.append(.note("message \(number)"), .sample) }
        await database.close()
    }

    @Test func `damage in the journal prevents no start; it is reported once, and the journal begins anew`()
        async throws
    {
        let database = try fixture.open()
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        for number in 1...400 { database.journal.append(.note("message \(number)"), .sample) }
        await database.close()
        try fixture.scramble(table: "journal")

        let survivor = try fixture.open()
        #expect(survivor.contents.pairings.count == 1)
        survivor.journal.append(.note("after the damage"), .sample)
        #expect(fixture.log.lines == [])
        await survivor.maintain()
        #expect(fixture.log.lines.count == 1, "\(fixture.log.lines)")
        #expect(fixture.log.lines.first?.contains("the journal was damaged and begins anew") == true)
        #expect(fixture.log.lines.first?.contains("hue-key") == false)
        #expect(try await survivor.journal.list().map(\.number) == [401])
        #expect(await survivor.archive.keep(.scenes(of: .sample, [.make()])) == .succeeded)
        await survivor.close()

        let again = try fixture.open()
        await again.maintain()
        #expect(again.contents.pairings.map(\.key) == [Secret("hue-key-0815")])
        #expect(again.contents.scenes == [.make()])
        #expect(try await again.journal.list().map(\.number) == [401])
        #expect(fixture.log.lines.count == 1, "\(fixture.log.lines)")
        await again.close()
    }

    @Test func `damage in the archive that is found while running is reported, and nothing is replaced`() async throws {
        let database = try fixture.open()
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        database.journal.append(.note("hello"), .sample)
        await database.close()
        let running = try fixture.open()
        try fixture.scramble(table: "bridge")
        let before = try contents()
        await running.maintain()
        #expect(fixture.log.lines.count == 1, "\(fixture.log.lines)")
        #expect(fixture.log.lines.first?.contains("is damaged") == true)
        #expect(try contents() == before)
        await running.close()
    }

    @Test func `a database whose creation was interrupted before the first table is completed`() async throws {
        await (try fixture.open(.off)).close()
        try FileManager.default.removeItem(atPath: fixture.database)
        try fixture.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA application_id = \(Schema.applicationID);
            CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)
            """
        )
        let database = try fixture.open()
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        await database.close()
    }

    @Test func `a database of the first version keeps its bridges and their scenes`() async throws {
        await (try fixture.open(.off)).close()
        try FileManager.default.removeItem(atPath: fixture.database)
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        let first = try DatabaseQueue(path: fixture.database, configuration: configuration)
        try await first.write { try Schema.sign($0) }
        try Schema.migrator.migrate(first, upTo: "1 bridges, scenes, dashboard, journal")
        try await first.write { db in
            try db.execute(
                sql: """
                    INSERT INTO bridge VALUES
                        ('ecb5fafffe000001', 'Attic', 'BSB002', '192.0.2.1', 443, 'old-key', NULL, 'maker', NULL),
                        ('ecb5fafffe000002', 'Cellar', 'BSB002', '192.0.2.2', 443, 'other-key', 'C0', 'pinned',
                         'sha256//QQ==');
                    INSERT INTO scene VALUES ('ecb5fafffe000001', 0, 'ecb5fafffe000001/s', 'Read', NULL, '[]');
                    """)
        }
        try first.close()
        let database = try fixture.open()
        let contents = database.contents
        #expect(contents.pairings.map(\.key) == [Secret("old-key"), Secret("other-key")])
        #expect(contents.pairings.map(\.trust) == [.maker, .pinned("sha256//QQ==")])
        #expect(contents.pairings.map(\.api) == [.v2, .v2])
        #expect(contents.scenes.map(\.name) == ["Read"])
        // Deleting the bridge still deletes its scenes.
        #expect(await database.archive.drop(Bridge.ID("ecb5fafffe000001")) == .succeeded)
        await database.close()
        #expect(try fixture.open().contents.scenes.isEmpty)
    }

    @Test(arguments: [false, true]) func `the journal of an older version goes on, and damage in it prevents no start`(
        isDamaged: Bool
    ) async throws {
        await (try fixture.open(.off)).close()
        try FileManager.default.removeItem(atPath: fixture.database)
        let old = try DatabaseQueue(path: fixture.database)
        try await old.write { try Schema.sign($0) }
        try Schema.migrator.migrate(old, upTo: "4 access tokens")
        try await old.write { db in
            let message = String(decoding: try JSONEncoder().encode(Message.note("old")), as: UTF8.self)
            for _ in 1...400 {
                try db.execute(
                    sql: "INSERT INTO journal (time, feature, ticket, message) VALUES (1, 'logging', 0, ?)",
                    arguments: [message])
            }
        }
        try old.close()
        if isDamaged { try fixture.scramble(table: "journal") }
        let database = try fixture.open(.on(entries: 300, bytes: 1 << 25, flush: .seconds(3600)))
        database.journal.append(.note("new"), .sample)
        await database.maintain()
        let last = try #require(try await database.journal.list().last)
        #expect(last.message == .note("new") && last.number > 400 && last.names.isEmpty)
        #expect(try await database.journal.list().count == (isDamaged ? 1 : 300))
        await database.close()
    }

    @Test func `a bridge without TLS is saved as plain, and never with API v2`() async throws {
        let database = try fixture.open()
        #expect(await database.archive.keep(.pairing(.make(trust: .plain, api: .v1))) == .succeeded)
        #expect(await database.archive.keep(.pairing(.make("0017880000000abc", trust: .maker, api: .v1))) == .succeeded)
        await database.close()
        #expect(throws: (any Error).self) { try fixture.execute("UPDATE bridge SET api = 2 WHERE trust = 'plain'") }
        let contents = try fixture.open().contents
        #expect(contents.pairings.map(\.trust) == [.maker, .plain])
        #expect(contents.pairings.map(\.api) == [.v1, .v1])
    }

    @Test func `the archive alone keeps the directory locked`() async throws {
        func archive() throws -> Archive { try fixture.open().archive }
        let held = try archive()
        #expect(throws: StateDatabaseError.inUse(path: fixture.directory)) { try fixture.open() }
        #expect(await held.keep(.pairing(.make())) == .succeeded)
    }

    @Test func `an empty database beside a full log is set aside with it`() async throws {
        let database = try fixture.open()
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        let log = try Data(contentsOf: URL(fileURLWithPath: fixture.database + "-wal"))
        await database.close()
        try FileManager.default.removeItem(atPath: fixture.database)
        try log.write(to: URL(fileURLWithPath: fixture.database + "-wal"))
        let again = try fixture.open()
        let aside = fixture.database + ".damaged-\(fixture.time.now.forFileName)"
        #expect(try Data(contentsOf: URL(fileURLWithPath: aside + "-wal")) == log)
        #expect(again.contents.pairings == [] && again.warnings.count == 1)
        #expect(fixture.log.lines.first?.contains("it is empty, but its log") == true, "\(fixture.log.lines)")
        await again.close()
    }

    private func contents() throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: fixture.database))
    }

    /// The exit code of another process that tries to lock: 1 if the lock is taken.
    private func lockFromOutside() throws -> Int32 {
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        other.arguments = ["--nonblock", fixture.directory + "/lock", "true"]
        try other.run()
        other.waitUntilExit()
        return other.terminationStatus
    }
}

enum Corruption: CaseIterable {
    case garbage, truncated, scrambledPage, otherProgram, newerSchema, oddTrust

    func apply(on fixture: DatabaseFixture) throws {
        let url = URL(fileURLWithPath: fixture.database)
        switch self {
        case .garbage:
            try Data(String(repeating: "this is a shopping list\n", count: 100).utf8).write(to: url)
        case .truncated:
            let whole = try Data(contentsOf: url)
            try whole.prefix(whole.count / 2).write(to: url)
        case .scrambledPage:
            try fixture.scramble(table: "bridge")
        case .otherProgram:
            try FileManager.default.removeItem(atPath: fixture.database)
            try fixture.execute("CREATE TABLE photo (id INTEGER PRIMARY KEY)")
        case .newerSchema:
            try fixture.execute("INSERT INTO grdb_migrations VALUES ('99 curtains')")
        case .oddTrust:
            try fixture.execute(
                "PRAGMA ignore_check_constraints = ON; UPDATE bridge SET trust = 'blind' WHERE name = 'First'")
        }
    }

    func explains(_ error: StateDatabaseError) -> Bool {
        switch (self, error) {
        case (.garbage, .damaged), (.truncated, .damaged), (.scrambledPage, .damaged), (.otherProgram, .foreign),
            (.newerSchema, .newer), (.oddTrust, .damaged):
            true
        default: false
        }
    }
}
