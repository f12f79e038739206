import Foundation
import GRDB
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import Persistence

@Suite struct BackupLawTests {
    let fixture: DatabaseFixture

    init() throws { fixture = try DatabaseFixture() }

    @Test(arguments: seeds(6)) func `a backup with keys brings back the same contents, also elsewhere`(seed: Int)
        async throws
    {
        var random = SplitMix(seed: UInt64(seed))
        let database = try await filled(&random)
        let file = try await database.backups.make(true, "1.0", .sample)
        await database.close()
        let before = try fixture.open(.off)
        let contents = before.contents
        await before.close()

        let other = try DatabaseFixture()
        let restored = try await other.restoring(file)
        #expect(restored.restoration == .done && restored.warnings == [])
        #expect(restored.contents.asRestored == contents.asRestored)
        #expect(restored.contents.tokens == contents.tokens)
        await restored.close()
    }

    @Test(arguments: seeds(6))
    func `without keys no byte of them is in the file, and the bridges that lightd has keep theirs`(
        seed: Int
    ) async throws {
        var random = SplitMix(seed: UInt64(seed))
        let database = try await filled(&random)
        let file = try await database.backups.make(false, "1.0", .sample)
        await database.close()
        for secret in Self.secrets + ["0123456789abcdef", "panel"] {
            #expect(Data(file).range(of: Data(secret.utf8)) == nil, "\(secret)")
        }
        let before = try fixture.open(.off)
        let contents = before.contents
        await before.close()

        // Where it was made it is complete.
        let again = try await fixture.restoring(file)
        #expect(again.contents.asRestored == contents.asRestored)
        #expect(again.contents.tokens == contents.tokens)
        await again.close()

        // Elsewhere the bridges are left out, and named.
        let other = try DatabaseFixture()
        let stranger = try other.open(.off)
        let summary = try await stranger.backups.examine(file)
        #expect(summary.withoutKey == contents.pairings.map(\.bridge.name).sorted() && !summary.hasKeys)
        #expect(summary.contents.tokens == nil && summary.contents.scenes == contents.scenes.count)
        await stranger.close()
        let restored = try await other.restoring(file)
        #expect(restored.contents.pairings == [] && restored.contents.scenes == [] && restored.contents.tokens == [])
        #expect(restored.contents.sceneOrders == [])
        #expect(restored.contents.dashboard == contents.dashboard)
        #expect(restored.contents.automations.all == contents.automations.all)
        await restored.close()
    }

    @Test func `a file that was cut or changed anywhere changes nothing`() async throws {
        var random = SplitMix(seed: 4711)
        let database = try await filled(&random)
        let file = try await database.backups.make(true, "1.0", .sample)
        #expect(try await database.backups.examine(file).contents.bridges.isEmpty == false)
        let before = try fixture.files()
        for number in 0..<400 {
            var damaged = file
            switch number % 4 {
            case 0: damaged.removeLast(1 + random.pick(file.count))
            case 1: damaged.insert(UInt8(random.pick(256)), at: random.pick(file.count))
            default:
                // The first line is short, and as easily damaged as the rest.
                let place = random.pick(number % 4 == 2 ? 90 : file.count)
                damaged[place] ^= UInt8(1 + random.pick(255))
            }
            await #expect(throws: BackupError.self) { try await database.backups.restore(damaged) }
        }
        #expect(try fixture.files() == before)
        await database.close()
    }

    private static let secrets = ["key 0", "key 1", "key 2", "client 0", "client 1", "client 2"]

    /// A database after some changes, with a token.
    private func filled(_ random: inout SplitMix) async throws -> StateDatabase {
        let database = try fixture.open()
        for _ in 0..<3 { _ = await database.archive.keep(.pairing(random.pairing())) }
        // Some are about bridges that do not exist, and refused.
        for _ in 0..<20 { _ = await database.archive.keep(random.keepsake()) }
        #expect(await database.tokens.keep(.make("panel")) == .succeeded)
        database.journal.append(.note("not in a backup"), .sample)
        return database
    }
}

@Suite struct BackupTests {
    let fixture: DatabaseFixture

    init() throws { fixture = try DatabaseFixture() }

    @Test func `the bridge's newer address stays, and one that the backup does not have is named and left out`()
        async throws
    {
        let database = try fixture.open()
        _ = await database.archive.keep(.pairing(.make(name: "Attic", key: "old-key")))
        let file = try await database.backups.make(true, "1.0", .sample)
        let moved = Bridge.Address(host: "192.0.2.77", port: 443)
        _ = await database.archive.keep(.sighting(.sample, moved, name: "Loft", model: "BSB003"))
        _ = await database.archive.keep(.pairing(.make("ecb5fafffe999999", name: "Cellar", key: "cellar-key")))
        let summary = try await database.backups.examine(file)
        #expect(summary.unpaired == ["Cellar"] && summary.withoutKey == [])
        #expect(summary.contents.bridges == ["Attic"] && summary.replaced.bridges == ["Loft", "Cellar"])
        await database.close()

        let restored = try await fixture.restoring(file)
        #expect(restored.contents.pairings.map(\.bridge.address) == [moved])
        #expect(restored.contents.pairings.map(\.bridge.name) == ["Attic"])
        await restored.close()
        // What was replaced can be brought back, but for the bridge that is not paired any more, and only its owner can
        // read it.
        let path = fixture.directory + "/" + StateDirectory.beforeRestoreName
        #expect(try fixture.mode(path) == 0o600)
        let again = try await fixture.restoring([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
        #expect(again.contents.pairings.map(\.key) == [Secret("old-key")])
        #expect(again.contents.pairings.map(\.bridge.name) == ["Loft"])
        await again.close()
    }

    @Test func `numbers go on, the journal stays, and what was replaced leaves no key in the database`() async throws {
        let database = try fixture.open()
        let file = try await database.backups.make(true, "1.0", .sample)
        _ = await database.archive.keep(.pairing(.make(key: "a-key-that-is-replaced")))
        database.journal.append(.note("before"), .sample)
        let next = database.nextTicketNumber
        await database.close()
        let restored = try await fixture.restoring(file)
        #expect(restored.contents.pairings == [] && restored.nextTicketNumber > next)
        #expect(try await restored.journal.list().map(\.message) == [.note("before")])
        for name in ["lightd.sqlite", "lightd.sqlite-wal"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(fixture.directory)/\(name)"))
            #expect(bytes.range(of: Data("a-key-that-is-replaced".utf8)) == nil, "\(name)")
        }
        await restored.close()
    }

    @Test func `a backup of the first version is restored, and one of a newer lightd is refused with its version`()
        async throws
    {
        let bridge: BackupFile.Record = [
            "id": .text("ecb5fafffe000001"), "name": .text("Attic"), "model": .text("BSB002"),
            "host": .text("192.0.2.1"), "port": .integer(443), "key": .text("old-key"), "clientKey": .null,
            "trust": .text("maker"), "pin": .null,
        ]
        func file(_ migrations: [String], _ bridge: BackupFile.Record) throws -> [UInt8] {
            try BackupFile(
                created: 0, lightd: "9.9", hasKeys: true, migrations: migrations, tables: ["bridge": [bridge]]
            ).bytes
        }
        let first = [Schema.migrator.migrations[0]]
        let restored = try await fixture.restoring(try file(first, bridge))
        #expect(restored.contents.pairings.map(\.key) == [Secret("old-key")])
        #expect(restored.contents.pairings.map(\.api) == [.v2])
        let newer = try file(Schema.migrator.migrations + ["99 curtains"], bridge)
        await #expect(throws: BackupError.newer(version: "9.9")) { try await restored.backups.restore(newer) }
        // What no lightd writes, although its digest fits.
        for odd in [
            bridge.merging(["trust": .text("blind")]) { $1 }, bridge.merging(["colour": .null]) { $1 },
            bridge.merging(["port": .text("x")]) { $1 }, [:],
        ] {
            let file = try file(first, odd)
            await #expect(throws: BackupError.self) { try await restored.backups.restore(file) }
        }
        await #expect(throws: BackupError.self) { try await restored.backups.restore(try file([], bridge)) }
        await restored.close()
    }

    @Test func `after a kill the next start has the old state or the new one, and restores once`() async throws {
        let database = try fixture.open()
        let file = try await database.backups.make(true, "1.0", .sample)
        _ = await database.archive.keep(.pairing(.make(name: "Attic")))
        await database.close()
        let staged = URL(fileURLWithPath: fixture.directory + "/" + StateDirectory.restoreName)

        // Killed while the file was written: the old state.
        try Data(file.prefix(9)).write(to: URL(fileURLWithPath: staged.path + ".new"))
        let old = try fixture.open()
        #expect(old.contents.pairings.count == 1 && old.restoration == nil)
        await old.close()

        // Killed after the state was replaced, before the file was removed: what came since stays.
        let new = try await fixture.restoring(file)
        #expect(new.contents.pairings == [])
        _ = await new.archive.keep(.pairing(.make(name: "Since")))
        await new.close()
        try Data(file).write(to: staged)
        try fixture.execute("INSERT INTO mark VALUES ('restored', \(BackupFile.fingerprint(of: file)))")
        let before = try Data(contentsOf: URL(fileURLWithPath: fixture.directory + "/lightd.sqlite.before-restore"))
        let later = try fixture.open()
        #expect(later.contents.pairings.map(\.bridge.name) == ["Since"])
        #expect(!FileManager.default.fileExists(atPath: staged.path))
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: fixture.directory + "/lightd.sqlite.before-restore")) == before)
        await later.close()

        // The same file may be restored once more.
        let again = try await fixture.restoring(file)
        #expect(again.contents.pairings == [])
        await again.close()
    }

    @Test func `a backup that was damaged while it waited is not restored, which is said, and not tried again`()
        async throws
    {
        let database = try fixture.open()
        _ = await database.archive.keep(.pairing(.make()))
        let file = try await database.backups.make(true, "1.0", .sample)
        _ = try await database.backups.restore(file)
        await database.close()
        let staged = URL(fileURLWithPath: fixture.directory + "/" + StateDirectory.restoreName)
        try Data(file.dropLast(7)).write(to: staged)
        let same = try fixture.open()
        #expect(same.contents.pairings.count == 1 && same.warnings.count == 1)
        guard case .failed = same.restoration else { throw TestError("\(String(describing: same.restoration))") }
        await same.close()
        let again = try fixture.open()
        #expect(again.restoration == nil && again.warnings == [])
        await again.close()
    }

    @Test func `what is under way is not brought back`() async throws {
        let database = try fixture.open()
        _ = await database.archive.keep(.automationMemory(SplitMix.automationMemory(runs: 2)))
        let file = try await database.backups.make(true, "1.0", .sample)
        await database.close()
        let restored = try await fixture.restoring(file)
        #expect(restored.contents.automations.memory == SplitMix.automationMemory(runs: 2).idle)
        #expect(restored.contents.automations.memory != SplitMix.automationMemory(runs: 2))
        await restored.close()
    }
}

extension DatabaseFixture {
    /// Restores a backup, as lightd does: opens, takes the file, closes and opens again.
    func restoring(_ file: [UInt8]) async throws -> StateDatabase {
        let database = try open()
        _ = try await database.backups.restore(file)
        await database.close()
        return try open()
    }
}

extension Archive.Contents {
    /// What a backup brings back, without the connections.
    fileprivate var asRestored: Self {
        Self(
            pairings: pairings.map(\.unconnected), scenes: scenes, sceneOrders: sceneOrders, dashboard: dashboard,
            followings: followings, curves: curves,
            automations: AutomationState(automations.all, automations.memory.idle), bindings: bindings)
    }
}

extension AccessToken {
    static func make(_ name: String) -> Self {
        AccessToken(
            name: name, access: .full, digest: String(repeating: "0123456789abcdef", count: 4), created: .sample)
    }
}
