import ControlProtocol
import Foundation
import Khipu
import Lighting
import LightingTestKit
import Synchronization
import Testing

@testable import ControlServer

@Suite struct TokenTests {
    private static let tcp = ControlServerSettings.TCP(host: "127.0.0.1", port: 0)

    @Test func `a token that is revoked by its name in other scalars is gone from the archive, too`() async throws {
        let dropped = Mutex<[String]>([])
        let archive = TokenArchive(
            keep: { $1(.succeeded) }, change: { $1(.succeeded) },
            drop: { digests, reply in
                dropped.withLock { $0 += digests }
                reply(.succeeded)
            }, note: { _, _ in })
        let token = AccessToken(name: "K\u{FC}che", access: .full, digest: "d", created: .sample)
        let tokens = AccessTokens(configured: nil, saved: [token], archive: archive, now: { .sample })
        _ = try await tokens.revoke("Ku\u{308}che")
        // By its digest: SQLite would compare the bytes of names.
        #expect(dropped.withLock(\.self) == ["d"] && tokens.list.isEmpty)
    }

    @Test func `a token works as soon as it is made, and no longer once it is revoked`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            #expect(try await server.status("GET", Routes.lights, token: "anything") == 401)
            let token = try await server.create(TokenRequest(name: "phone"))
            #expect(try await server.status("GET", Routes.lights, token: token) == 200)
            #expect(try await server.status("POST", Routes.messages, token: token, body: toggle) == 200)
            let list: [TokenBody] = try await server.get(Routes.tokens)
            #expect(list.map(\.name) == ["phone"] && list[0].access == .full && list[0].lastUsed != nil)
            let revoked = try await server.revoke("phone")
            #expect(revoked.status == 200)
            #expect(try await server.status("GET", Routes.lights, token: token) == 401)
            #expect(try await server.get(Routes.tokens, as: [TokenBody].self) == [])
            #expect(server.tokens.tokens == [])
        }
    }

    @Test func `a token is kept nowhere, only its digest, and is not the same twice`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let one = try await server.create(TokenRequest(name: "one"))
            let other = try await server.create(TokenRequest(name: "other"))
            #expect(one != other)
            for token in [one, other] { #expect(token.wholeMatch(of: /lightd_[0-9a-f]{64}/) != nil) }
            for saved in server.tokens.tokens {
                #expect(saved.digest.count == 64 && !one.contains(saved.digest) && !other.contains(saved.digest))
            }
            let list = try await server.get(Routes.tokens)
            #expect(!String(decoding: list.body, as: UTF8.self).contains(one.suffix(64)))
        }
    }

    @Test func `a saved token works after a restart`() async throws {
        let saved = AccessToken(
            name: "panel", access: .readOnly,
            // printf sesame | sha256sum
            digest: "d0c04f4b1951e4aeaaec8223ed2039e542f3aae805a6fa7f6d794e5afff5d272", created: .sample)
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp, savedTokens: [saved]) { server in
            for (token, status) in [("sesame", 200), ("sesame2", 401)] {
                let answer = try await server.ask("GET", Routes.lights, token: token)
                #expect(answer.status == status)
            }
        }
    }

    @Test(
        arguments: [
            ("GET", Routes.lights, 200), ("GET", Routes.status, 200), ("GET", Routes.log, 200),
            ("GET", Routes.openAPI, 200), ("GET", Routes.live, 200), ("POST", Routes.messages, 403),
            ("POST", Routes.lights, 405), ("GET", Routes.tokens, 403), ("POST", Routes.tokens, 403),
            ("DELETE", Routes.tokens, 403), ("GET", "/nowhere", 404),
        ])
    func `a read-only token reads and does nothing else`(method: String, path: String, status: Int) async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack, tcp: Self.tcp) { server in
            let token = try await server.create(TokenRequest(name: "panel", access: .readOnly))
            let body = method == "POST" ? toggle : nil
            let answer = try await server.ask(method, path, token: token, body: body)
            #expect(answer.status == status)
            if status == 403 { #expect(try answer.error.code == .notAllowed) }
            if path == Routes.messages {
                #expect(
                    try answer.error.message
                        == "this needs the role 'control', and 'full' if it renames or arranges anything, "
                        + "but this token has 'read_only'")
            }
            #expect(server.home.journal.entries.isEmpty)
        }
    }

    @Test(arguments: ["GET", "POST", "DELETE"])
    func `over TCP a full token makes and revokes no tokens`(method: String) async throws {
        var tcp = Self.tcp
        tcp.token = "sesame"
        try await ServerFixture.run(in: HomeFixture.state, tcp: tcp) { server in
            _ = try await server.create(TokenRequest(name: "phone"))
            let path = method == "DELETE" ? Routes.path(Routes.tokens, [(.name, "phone")]) : Routes.tokens
            let answer = try await server.ask(method, path, token: "sesame", body: #"{"name":"mine"}"#)
            #expect(answer.status == 403)
            #expect(try answer.error.message.contains("unix socket"))
            #expect(server.tokens.tokens.map(\.name) == ["phone"])
            #expect(try await server.status(method, path, token: nil) == 401)
        }
    }

    @Test func `a stream ends when its token is revoked, before it sends anything more`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let token = try await server.create(TokenRequest(name: "panel", access: .readOnly))
            let reader = try ClientFixture(.port(try #require(server.port)))
            #expect(try await reader.open(Routes.events, ["Authorization": "Bearer \(token)"]).status == 200)
            _ = try await reader.event()
            #expect(try await server.revoke("panel").status == 200)
            // Another one of the same name is another token.
            _ = try await server.create(TokenRequest(name: "panel", access: .readOnly))
            await server.change(.updating(.light(HomeFixture.stove.id, by: [.renaming(.it(to: "Oven"))])))
            #expect(try await reader.event() == nil)
        }
    }

    @Test(
        arguments: [
            #"{}"#, #"{"name":""}"#, #"{"name":" "}"#, #"{"name":"a\nb"}"#, #"{"name":1}"#, "", "[]",
            #"{"name":"a","access":"all"}"#, #"{"name":"a","acess":"read_only"}"#,
            #"{"name":"a","access":"read_only","access":"full"}"#,
            #"{"name":"\#(String(repeating: "x", count: 65))"}"#,
        ])
    func `a wrong request makes no token`(body: String) async throws {
        try await ServerFixture.run { server in
            let answer = try await ClientFixture.ask(server.address, "POST", Routes.tokens, body: body)
            #expect(answer.status == 400)
            #expect(try answer.error.code == .invalid)
            #expect(server.tokens.tokens == [])
        }
    }

    @Test func `a name is used once, and an unknown one is not revoked`() async throws {
        try await ServerFixture.run { server in
            _ = try await server.create(TokenRequest(name: "phone"))
            let again = try await ClientFixture.ask(
                server.address, "POST", Routes.tokens, body: #"{"name":"phone","access":"read_only"}"#)
            #expect(again.status == 409)
            #expect(try again.error.code == .nameTaken)
            #expect(server.tokens.tokens.map(\.access) == [.full])
            let mistyped = try await server.revoke("phne")
            #expect(try mistyped.status == 404 && mistyped.error.candidates == ["phone"])
            // Another name must not be offered to somebody who is about to revoke it.
            let other = try await server.revoke("laptop")
            #expect(try other.status == 404 && other.error.candidates == nil)
            #expect(try await ClientFixture.ask(server.address, "DELETE", Routes.tokens).status == 400)
        }
    }

    @Test func `a token that cannot be saved does not exist, and one that cannot be deleted ends all the same`()
        async throws
    {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let token = try await server.create(TokenRequest(name: "phone"))
            server.tokens.end(with: .failed(.notSaved(because: "the disk is full")))
            let made = try await ClientFixture.ask(server.address, "POST", Routes.tokens, body: #"{"name":"panel"}"#)
            #expect(made.status == 500)
            #expect(try made.error.message.contains("the disk is full"))
            let revoked = try await server.revoke("phone")
            #expect(revoked.status == 500)
            #expect(try revoked.error.code == .notSaved && revoked.error.message.contains("is revoked"))
            #expect(try await server.get(Routes.tokens, as: [TokenBody].self).isEmpty)
            #expect(try await server.status("GET", Routes.lights, token: token) == 401)
            // It is tried again, and until then nothing can take the place of what the archive still has.
            #expect(server.tokens.tokens.map(\.name) == ["phone"])
            #expect(
                try await ClientFixture.ask(server.address, "POST", Routes.tokens, body: #"{"name":"phone"}"#).status
                    == 500)
            server.tokens.end(with: .succeeded)
            while !server.tokens.tokens.isEmpty {
                await server.clock.advance(by: AccessTokens.retryInterval)
                await Task.yield()
            }
            _ = try await server.create(TokenRequest(name: "phone"))
        }
    }

    @Test func `a revoked token is refused while the disk has not answered yet, as is a page that was signed out`()
        async throws
    {
        let (archive, clock) = (MemoryTokenArchive(), ManualClock(at: Timestamp.sample.milliseconds))
        // A disk that never answers a deletion.
        let slow = TokenArchive(
            keep: archive.archive.keep, change: { $1(.succeeded) }, drop: { _, _ in }, note: archive.archive.note)
        let saved = [session("page"), session("child", of: "page")]
        let all = AccessTokens(configured: nil, saved: saved, archive: slow, now: { clock.now })
        let ends = try ["page", "child"].map { all.end(of: try #require(all.session(of: $0))) }
        let revoking = Task { try await all.revoke("page") }
        defer { revoking.cancel() }
        for end in ends { try await end.value }
        #expect(all.session(of: "page") == nil && all.session(of: "child") == nil && all.list.isEmpty)
    }

    @Test func `a request whose token ends while its body arrives is refused, and its lights stay`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let token = try await server.create(TokenRequest(name: "phone"))
            let client = try ClientFixture(.port(try #require(server.port)))
            try await client.send(
                "POST \(Routes.messages) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
                    + "Content-Length: \(toggle.utf8.count)\r\nExpect: 100-continue\r\n\r\n")
            // It was let in: its body is asked for.
            #expect(try await client.answer(hasBody: false).status == 100)
            #expect(try await server.revoke("phone").status == 200)
            try await client.send(toggle)
            #expect(try await client.answer().status == 401)
            #expect(server.stack.requests.isEmpty)
        }
    }

    @Test func `the use of a token is noted at once, and then at most every ten minutes`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let token = try await server.create(TokenRequest(name: "phone"))
            for _ in 1...3 { #expect(try await server.status("GET", Routes.lights, token: token) == 200) }
            #expect(server.tokens.notes == ["phone"])
            await server.clock.advance(by: AccessTokens.noteInterval)
            #expect(try await server.status("GET", Routes.lights, token: token) == 200)
            #expect(server.tokens.notes == ["phone", "phone"])
        }
    }

    @Test func `a token that is used all the time is noted, also just after a restart`() async throws {
        let (archive, clock) = (MemoryTokenArchive(), ManualClock())
        let saved = AccessToken(
            name: "phone", access: .full, digest: Secret.digest(of: "sesame"), created: .sample, lastUsed: clock.now)
        let tokens = AccessTokens(configured: nil, saved: [saved], archive: archive.archive, now: { clock.now })
        for _ in 1...60 {
            await clock.set(to: clock.now.advanced(by: .seconds(60)))
            #expect(tokens.grant(for: "sesame") != nil)
        }
        #expect(archive.notes.count == 6)
    }

    @Test func `when a token was last used is known after lightd has stopped, however shortly before that was`()
        async throws
    {
        let (archive, clock) = (MemoryTokenArchive(), ManualClock())
        let saved = AccessToken(
            name: "phone", access: .full, digest: Secret.digest(of: "sesame"), created: .sample, lastUsed: clock.now)
        let tokens = AccessTokens(configured: nil, saved: [saved], archive: archive.archive, now: { clock.now })
        tokens.noteUses()
        #expect(archive.notes == [])
        await clock.set(to: clock.now.advanced(by: .seconds(60)))
        #expect(tokens.grant(for: "sesame") != nil && archive.notes == [])
        for _ in 1...2 { tokens.noteUses() }
        #expect(archive.notes == ["phone"])
    }

    // MARK: Sessions that nobody uses

    private func session(_ name: String, of maker: String? = nil, lastUsed: Timestamp? = nil) -> AccessToken {
        AccessToken(
            name: name, access: .full, digest: Secret.digest(of: name), created: .sample,
            origin: .link(maker: maker.map(Secret.digest)), lastUsed: lastUsed)
    }

    private func tokens(_ saved: [AccessToken], _ archive: MemoryTokenArchive, _ clock: ManualClock) -> AccessTokens {
        for token in saved { archive.archive.keep(token) { _ in } }
        return AccessTokens(configured: "sesame", saved: saved, archive: archive.archive, now: { clock.now })
    }

    @Test func `a replaced token of the configuration ends, with what was signed in by it`() async {
        let (archive, clock) = (MemoryTokenArchive(), ManualClock(at: Timestamp.sample.milliseconds))
        let program = AccessToken(name: "cron", access: .full, digest: Secret.digest(of: "cron"), created: .sample)
        let all = tokens([session("page", of: "sesame"), session("other"), program], archive, clock)
        let old = all.grant(for: "sesame")!
        let (end, child) = (all.end(of: old), all.end(of: all.session(of: "page")!))
        all.configure("sesame")
        #expect(!end.isFulfilled && all.exists(old) && all.follows(old))
        all.configure("open barley")
        #expect(end.isFulfilled && child.isFulfilled && !all.exists(old) && !all.follows(old))
        #expect(all.grant(for: "sesame") == nil && all.session(of: "page") == nil)
        #expect(
            all.grant(for: "open barley") != nil && all.session(of: "other") != nil && all.grant(for: "cron") != nil)
        all.configure(nil)
        #expect(all.grant(for: "open barley") == nil)
    }

    @Test func `a session ends when it was not used for 90 days, and each use renews it; a program's token stays`()
        async
    {
        let (archive, clock) = (MemoryTokenArchive(), ManualClock(at: Timestamp.sample.milliseconds))
        let command = AccessToken(
            name: "cron", access: .full, digest: Secret.digest(of: "cron"), created: .sample)
        let all = tokens([session("used"), session("unused"), command], archive, clock)
        for _ in 1...3 {
            await clock.set(to: clock.now.advanced(by: AccessTokens.longestUnused - .milliseconds(1)))
            #expect(all.session(of: "used") != nil)
        }
        let end = all.end(of: all.session(of: "used")!)
        #expect(all.session(of: "unused") == nil && all.grant(for: "cron") != nil)
        #expect(archive.tokens.map(\.name) == ["cron", "used"] && all.list.map(\.name) == ["cron", "used"])
        await clock.set(to: clock.now.advanced(by: AccessTokens.longestUnused))
        #expect(!end.isFulfilled)
        #expect(all.list.map(\.name) == ["cron"] && end.isFulfilled)
        #expect(archive.tokens.map(\.name) == ["cron"])
        // At the start, too.
        #expect(tokens([session("old"), command], archive, clock).list.map(\.name) == ["cron"])
        #expect(archive.tokens.map(\.name) == ["cron"])
    }

    @Test func `a session lasts as long as one that was made through it is used`() async {
        let (archive, clock) = (MemoryTokenArchive(), ManualClock(at: Timestamp.sample.milliseconds))
        let all = tokens([session("parent"), session("child", of: "parent")], archive, clock)
        for _ in 1...3 {
            await clock.set(to: clock.now.advanced(by: AccessTokens.longestUnused / 2))
            #expect(all.session(of: "child") != nil)
        }
        #expect(all.session(of: "parent") != nil)
        await clock.set(to: clock.now.advanced(by: AccessTokens.longestUnused))
        #expect(all.list.isEmpty)
    }

    @Test func `a stream that stays open is a use, and is noted once a day`() async throws {
        let (archive, clock) = (MemoryTokenArchive(), ManualClock(at: Timestamp.sample.milliseconds))
        let all = tokens([session("wall")], archive, clock)
        let grant = try #require(all.session(of: "wall"))
        for _ in 1...200 {
            for _ in 1...4 {
                await clock.set(to: clock.now.advanced(by: .seconds(6 * 3600)))
                #expect(all.follows(grant))
            }
        }
        #expect(archive.notes.count == 201)
    }

    @Test func `when there are too many, the session unused longest gives way, but only to its own kind`() async throws
    {
        let (archive, clock) = (MemoryTokenArchive(), ManualClock(at: Timestamp.sample.milliseconds))
        let all = tokens([session("owner's")], archive, clock)
        let panel = try await all.create(TokenRequest(name: "panel", access: .readOnly)).token
        let grant = try #require(all.grant(for: panel))
        var secrets: [String] = []
        for number in 0...AccessTokens.maximumOfToken {
            await clock.set(to: clock.now.advanced(by: .seconds(60)))
            let (secret, session) = try await all.signIn(.token(grant), as: "\(number)")
            #expect(session.access == .readOnly)
            secrets.append(secret)
            if number == 0 { continue }
            #expect(all.session(of: secrets[0]) != nil)
        }
        // The second is the one that was not used after its sign-in.
        #expect(all.session(of: secrets[0]) != nil && all.session(of: secrets[1]) == nil)
        #expect(all.list.count == AccessTokens.maximumOfToken + 2 && archive.tokens.count == all.list.count)
        #expect(all.session(of: "owner's") != nil)
        while all.list.count < AccessTokens.maximum {
            _ = try await all.create(TokenRequest(name: "program \(all.list.count)"))
        }
        await #expect(throws: ErrorReply.self) { try await all.create(TokenRequest(name: "one more")) }
        // A link of the owner takes the place of the owner's page.
        await clock.set(to: clock.now.advanced(by: .seconds(60)))
        _ = try await all.signIn(.link(.full, by: nil, end: nil), as: "owner's new")
        #expect(all.session(of: "owner's") == nil && all.list.count == AccessTokens.maximum)
        #expect(all.list.count { $0.maker == "panel" } == AccessTokens.maximumOfToken)
    }

    @Test(arguments: [true, false]) func `a token that nothing can use yet comes with a warning`(isOn: Bool)
        async throws
    {
        try await ServerFixture.run(in: HomeFixture.state, tcp: isOn ? Self.tcp : nil) { server in
            let answer = try await ClientFixture.ask(server.address, "POST", Routes.tokens, body: #"{"name":"phone"}"#)
            let warning = try answer.decoded(NewTokenBody.self).warning
            #expect(isOn ? warning == nil : warning?.contains("'tcp.enabled'") == true, "\(warning ?? "")")
        }
    }

    @Test func `the number of tokens is bounded`() async throws {
        try await ServerFixture.run { server in
            for number in 1...AccessTokens.maximum { _ = try await server.create(TokenRequest(name: "\(number)")) }
            let answer = try await ClientFixture.ask(server.address, "POST", Routes.tokens, body: #"{"name":"more"}"#)
            #expect(answer.status == 422)
        }
    }

    private var toggle: String { #"{"command":"toggle","target":"desk"}"# }
}

extension ServerFixture {
    /// Makes a token over the socket.
    func create(_ request: TokenRequest) async throws -> String {
        let body = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
        let answer = try await ClientFixture.ask(address, "POST", Routes.tokens, body: body)
        #expect(answer.status == 201)
        return try answer.decoded(NewTokenBody.self).token
    }

    func revoke(_ name: String) async throws -> ClientFixture.Answer {
        try await ClientFixture.ask(address, "DELETE", Routes.path(Routes.tokens, [(.name, name)]))
    }

    /// A request over TCP.
    func ask(_ method: String, _ path: String, token: String?, body: String? = nil) async throws -> ClientFixture.Answer
    {
        let headers = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        return try await ClientFixture.ask(.port(try #require(port)), method, path, headers, body: body)
    }

    func status(_ method: String, _ path: String, token: String?, body: String? = nil) async throws -> Int {
        try await ask(method, path, token: token, body: body).status
    }
}
