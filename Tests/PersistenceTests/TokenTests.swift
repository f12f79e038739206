import Khipu
import Lighting
import LightingTestKit
import Testing

@testable import Persistence

@Suite struct TokenTests {
    let fixture: DatabaseFixture

    init() throws { fixture = try DatabaseFixture() }

    private func token(
        _ name: String, _ digit: Character = "a", access: AccessToken.Access = .full, end: Timestamp? = nil
    ) -> AccessToken {
        AccessToken(
            name: name, access: access, digest: String(repeating: digit, count: 64), created: .sample, end: end)
    }

    @Test func `tokens survive a restart, and a process that is killed`() async throws {
        let database = try fixture.open()
        let end = Timestamp.sample.advanced(by: .seconds(60))
        let tokens = [
            token("Küche 🏠", "a"), token("panel", "b", access: .readOnly),
            token("guest", "c", access: .control, end: end),
            token("wall", "d", access: .look),
        ].sorted { $0.name < $1.name }
        for token in tokens { #expect(await database.tokens.keep(token) == .succeeded) }
        // What another process sees now is what is left after a kill.
        #expect(try fixture.read { try AccessToken.fetchAll($0) } == tokens)
        await database.close()
        let again = try fixture.open()
        #expect(again.contents.tokens == tokens)
        let panel = try #require(tokens.first { $0.name == "panel" })
        #expect(await again.tokens.drop(panel.digest) == .succeeded)
        #expect(await again.tokens.drop("nobody's") == .succeeded)
        #expect(try fixture.read { try AccessToken.fetchAll($0) } == tokens.filter { $0 != panel })
        await again.close()
    }

    @Test func `a token that is called otherwise, ends otherwise and has another maker is kept so`() async throws {
        let database = try fixture.open()
        let maker = token("phone", "a")
        let old = AccessToken(
            name: "browser", access: .look, digest: String(repeating: "b", count: 64), created: .sample,
            origin: .signIn(maker: maker.digest), lastUsed: .sample)
        for token in [maker, old] { #expect(await database.tokens.keep(token) == .succeeded) }
        let new = AccessToken(
            name: "Anna", access: .look, digest: old.digest, created: .sample,
            end: Timestamp.sample.advanced(by: .seconds(60)), origin: .link(maker: nil), lastUsed: .sample,
            isNamed: true)
        #expect(await database.tokens.change([new, token("gone", "c")]) == .succeeded)
        // Both or none.
        let isRefused = await database.tokens.change([token("x", "a"), token("x", "b")]) != .succeeded
        #expect(isRefused)
        await database.close()
        let again = try fixture.open()
        #expect(again.contents.tokens == [new, maker])
        await again.close()
    }

    @Test func `the note of a use is kept`() async throws {
        let database = try fixture.open()
        _ = await database.tokens.keep(token("panel"))
        let later = Timestamp.sample.advanced(by: .seconds(60))
        database.tokens.note("panel", later)
        database.tokens.note("nobody", later)
        await database.close()
        let again = try fixture.open()
        #expect(again.contents.tokens.map(\.lastUsed) == [later])
        await again.close()
    }

    @Test func `a database of an earlier lightd has no tokens, and keeps everything else`() async throws {
        let old = try fixture.open()
        #expect(await old.archive.keep(.pairing(.make())) == .succeeded)
        await old.close()
        try fixture.execute("DROP TABLE token")
        try fixture.execute("DELETE FROM grdb_migrations WHERE identifier LIKE '%tokens%'")
        let new = try fixture.open()
        #expect(new.contents.tokens == [] && new.contents.pairings.map(\.unconnected) == [Pairing.make().unconnected])
        #expect(await new.tokens.keep(token("phone")) == .succeeded)
        await new.close()
    }

    @Test func `a page's token is kept with what ends it, and tokens end together or not at all`() async throws {
        let database = try fixture.open()
        let maker = token("phone", "a")
        let tokens = [
            AccessToken(
                name: "browser", access: .full, digest: String(repeating: "b", count: 64), created: .sample,
                origin: .link(maker: nil)),
            maker,
            AccessToken(
                name: "tablet", access: .readOnly, digest: String(repeating: "c", count: 64), created: .sample,
                origin: .link(maker: maker.digest)),
            AccessToken(
                name: "wall", access: .full, digest: String(repeating: "d", count: 64), created: .sample,
                origin: .signIn(maker: maker.digest)),
        ]
        for token in tokens { #expect(await database.tokens.keep(token) == .succeeded) }
        await database.close()
        let again = try fixture.open()
        #expect(again.contents.tokens == tokens)
        let outcome = await withCheckedContinuation { waiting in
            again.tokens.drop(Set(tokens.dropFirst().map(\.digest))) { waiting.resume(returning: $0) }
        }
        #expect(outcome == .succeeded)
        #expect(try fixture.read { try AccessToken.fetchAll($0) } == [tokens[0]])
        await again.close()
    }

    @Test func `the tokens of a lightd before links were made for programs`() async throws {
        let old = try fixture.open()
        #expect(await old.tokens.keep(token("phone")) == .succeeded)
        await old.close()
        for column in ["signedInWith", "maker", "isMadeByLink"] {
            try fixture.execute("ALTER TABLE token DROP COLUMN \(column)")
        }
        try fixture.execute(
            "DELETE FROM grdb_migrations WHERE identifier LIKE '6 tokens%' OR identifier LIKE '8 tokens%'")
        let new = try fixture.open()
        #expect(new.contents.tokens == [token("phone")])
        await new.close()
    }

    @Test func `a token that is not what lightd writes is never used, and the others go on`() async throws {
        let database = try fixture.open()
        #expect(await database.tokens.keep(token("phone", "b")) == .succeeded)
        await database.close()
        try fixture.execute(
            "INSERT INTO token (name, access, digest, created) VALUES ('x', 'root', '\(token("x").digest)', 1)")
        let again = try fixture.open()
        #expect(again.contents.tokens == [token("phone", "b")] && again.warnings.count == 1)
        await again.close()
    }

    @Test func `a token that cannot be written is reported`() async throws {
        let database = try fixture.open()
        #expect(await database.tokens.keep(token("phone")) == .succeeded)
        let outcome = await database.tokens.keep(token("other"))  // the same digest
        let isReported = if case .failed(.notSaved) = outcome { true } else { false }
        #expect(isReported)
        await database.close()
    }
}

extension TokenArchive {
    func keep(_ token: AccessToken) async -> Outcome {
        await withCheckedContinuation { waiting in keep(token) { waiting.resume(returning: $0) } }
    }

    func change(_ tokens: [AccessToken]) async -> Outcome {
        await withCheckedContinuation { waiting in change(tokens) { waiting.resume(returning: $0) } }
    }

    func drop(_ digest: String) async -> Outcome {
        await withCheckedContinuation { waiting in drop([digest]) { waiting.resume(returning: $0) } }
    }
}
