import Foundation
import GRDB
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import Persistence

/// Searches every byte of every file of the state directory.
@Suite struct SecretsTests {
    let fixture: DatabaseFixture

    init() throws { fixture = try DatabaseFixture() }

    private let attic = "ecb5fafffe000001"
    private let cellar = "ecb5fafffe000002"

    /// Which of the texts are in the directory.
    private func found(_ texts: String...) throws -> [String] { try found(texts) }

    private func found(_ texts: [String]) throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.directory).map {
            try Data(contentsOf: URL(fileURLWithPath: "\(fixture.directory)/\($0)"))
        }
        return texts.filter { text in files.contains { $0.range(of: Data(text.utf8)) != nil } }
    }

    private func token(_ name: String, _ digest: String) -> AccessToken {
        AccessToken(name: name, access: .full, digest: digest, created: .sample)
    }

    /// May leave a transaction open.
    private func reader() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: fixture.database, configuration: configuration)
    }

    /// 64 hexadecimal digits.
    private func digest(_ number: Int) -> String {
        var random = SplitMix(seed: UInt64(number))
        return (0..<4).map { _ in String(String(random.next(), radix: 16).suffix(16)) }
            .map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
    }

    @Test func `the keys of a forgotten bridge are in no file, while lightd runs and after it has ended`() async throws
    {
        let database = try fixture.open()
        #expect(await database.archive.keep(.pairing(.make(key: "its-key", clientKey: "its-client-key"))) == .succeeded)
        #expect(try found("its-key", "its-client-key") == ["its-key", "its-client-key"])
        #expect(await database.archive.drop(.sample) == .succeeded)
        #expect(try found("its-key", "its-client-key") == [])
        await database.close()
        #expect(try found("its-key", "its-client-key") == [])
    }

    @Test func `the keys of a bridge that was paired again are the new ones only`() async throws {
        let database = try fixture.open()
        _ = await database.archive.keep(.pairing(.make(key: "first-key", clientKey: "first-client")))
        _ = await database.archive.keep(.scenes(of: .sample, [.make()]))
        #expect(await database.archive.keep(.pairing(.make(key: "second-key", clientKey: "2nd-client"))) == .succeeded)
        let all = ["first-key", "first-client", "second-key", "2nd-client"]
        #expect(try found(all) == ["second-key", "2nd-client"])
        #expect(try fixture.read { try Scene.fetchAll($0) } == [.make()])
        await database.close()
    }

    @Test func `the digest of a revoked token is in no file`() async throws {
        let database = try fixture.open()
        for number in 0..<3 { _ = await database.tokens.keep(token("token \(number)", digest(number))) }
        database.tokens.note("token 1", .sample)
        #expect(try found((0..<3).map(digest)).count == 3)
        #expect(await database.tokens.drop(digest(1)) == .succeeded)
        #expect(try found((0..<3).map(digest)) == [digest(0), digest(2)])
        await database.close()
    }

    /// SQLite leaves copies of the rows that it moves, so that single deletions prove little.
    @Test(arguments: 0..<12) func `whatever came and went, what is gone is in no file`(seed: Int) async throws {
        var random = SplitMix(seed: UInt64(seed))
        let database = try fixture.open()
        var live: [Int: String] = [:]
        var gone: [String] = []
        for number in 0..<120 {
            if live.count > 20 && random.pick(3) > 0, let old = live.keys.sorted().randomElement(using: &random) {
                let secret = live.removeValue(forKey: old) ?? ""
                gone.append(secret)
                let outcome =
                    old % 2 == 0
                    ? await database.tokens.drop(secret)
                    : await database.archive.drop(Bridge.ID("bridge\(old)"))
                #expect(outcome == .succeeded)
            } else {
                let (secret, name) = (digest(number + seed * 1000), String(repeating: "n", count: random.pick(200)))
                live[number] = secret
                let outcome =
                    number % 2 == 0
                    ? await database.tokens.keep(token("token \(number)", secret))
                    : await database.archive.keep(.pairing(.make("bridge\(number)", name: name, key: secret)))
                #expect(outcome == .succeeded)
            }
            for other in live.keys.sorted() where random.pick(10) == 0 {
                database.tokens.note("token \(other)", Timestamp(milliseconds: Int64(1) << random.pick(45)))
            }
        }
        #expect(await database.archive.keep(.pairing(.make("last", key: "last-key"))) == .succeeded)
        #expect(await database.archive.drop(Bridge.ID("last")) == .succeeded)
        #expect(try found(gone) == [], "of \(gone.count)")
        #expect(try found(live.values.sorted()) == live.values.sorted())
        await database.close()
        #expect(try found(gone) == [], "of \(gone.count)")
    }

    @Test func `a restore leaves no key of a bridge that it unpairs, and what it replaced brings none back`()
        async throws
    {
        let database = try fixture.open()
        _ = await database.archive.keep(.pairing(.make(attic, name: "Attic", key: "attic-key")))
        _ = await database.tokens.keep(token("old", digest(0)))
        let file = try await database.backups.make(true, "1.0", .sample)
        #expect(await database.tokens.drop(digest(0)) == .succeeded)
        _ = await database.archive.keep(
            .pairing(.make(cellar, name: "Cellar", key: "cellar-key", clientKey: "c-client")))
        _ = await database.archive.keep(.dashboard(Dashboard(pins: [DashboardPin(.all)])))
        _ = await database.tokens.keep(token("revoked later", digest(1)))
        #expect(try found("attic-key", "cellar-key", "c-client", digest(1)).count == 4)
        await database.close()

        let restored = try await fixture.restoring(file)
        #expect(restored.restoration == .done)
        #expect(try found("attic-key", "cellar-key", "c-client", digest(0), digest(1)) == ["attic-key", digest(0)])
        #expect(await restored.tokens.drop(digest(0)) == .succeeded)
        #expect(try found(digest(0)) == [])
        await restored.close()

        // What can be brought back is: all but the bridge that is not paired any more, which is named.
        let before = try Data(contentsOf: URL(fileURLWithPath: "\(fixture.directory)/lightd.sqlite.before-restore"))
        let again = try await fixture.restoring([UInt8](before))
        #expect(again.contents.dashboard == Dashboard(pins: [DashboardPin(.all)]))
        #expect(again.contents.pairings.map(\.key) == [Secret("attic-key")])
        #expect(again.contents.tokens == [])
        #expect(try await again.backups.examine([UInt8](before)).withoutKey == ["Cellar"])

        #expect(await again.archive.drop(Bridge.ID(attic)) == .succeeded)
        #expect(try found("attic-key", "cellar-key", "c-client", digest(0), digest(1)) == [])
        await again.close()
        #expect(try found("attic-key", "cellar-key", "c-client", digest(0), digest(1)) == [])
    }

    @Test func `a key stays in the log only for as long as somebody else reads the database`() async throws {
        let database = try fixture.open()
        _ = await database.archive.keep(.pairing(.make(key: "its-key")))
        let reader = try self.reader()
        try reader.inDatabase { db in
            try db.beginTransaction(.deferred)
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM bridge")
        }
        #expect(await database.archive.drop(.sample) == .succeeded)
        #expect(try found("its-key") == ["its-key"])
        try reader.inDatabase { try $0.rollback() }
        try reader.close()
        await database.recover()
        #expect(try found("its-key") == [])
        await database.close()
    }

    @Test func `what a killed lightd has left is gone with the next one`() async throws {
        let database = try fixture.open()
        _ = await database.archive.keep(.pairing(.make(key: "its-key")))
        let reader = try self.reader()
        try reader.inDatabase { db in
            try db.beginTransaction(.deferred)
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM bridge")
        }
        _ = await database.archive.drop(.sample)
        // Before the log was emptied, and while a backup was being kept.
        let killed = fixture.root + "/killed"
        try FileManager.default.copyItem(atPath: fixture.directory, toPath: killed)
        try Data("its-key".utf8).write(to: URL(fileURLWithPath: killed + "/lightd.sqlite.restore.new"))
        try reader.close()
        await database.close()
        try FileManager.default.removeItem(atPath: fixture.directory)
        try FileManager.default.moveItem(atPath: killed, toPath: fixture.directory)
        #expect(try found("its-key") == ["its-key"])

        let next = try fixture.open()
        #expect(next.contents.pairings == [])
        await next.maintain()
        #expect(try found("its-key") == [])
        await next.close()
    }
}
