import ControlProtocol
import ControlSurface
import Foundation
import HTTPTypes
import Khipu
import Lighting
import LightingTestKit
import Logging
import Synchronization
import Testing

@testable import ControlServer

@Suite struct SessionTests {
    static let tcp = ControlServerSettings.TCP(host: "127.0.0.1", port: 0, token: "sesame")

    @Test func `a link signs one page in, once, with a cookie that no script reads`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let page = try await server.page()
            let link = try await server.link()
            #expect(link.url.hasPrefix("http://127.0.0.1:\(page.port)/#join=") && link.access == .full)
            #expect(link.qr.size == link.qr.rows.count)
            let answer = try await page.signIn(link.secret)
            #expect(answer.status == 200)
            let body = try answer.decoded(SessionBody.self)
            #expect(body.access == .full && body.name?.wholeMatch(of: /phone \d+ [A-Z][a-z]{2} \d\d:\d\d/) != nil)
            let cookie = try #require(answer.headers["set-cookie"])
            #expect(
                cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Strict") && cookie.contains("; Path=/;"))
            #expect(!cookie.contains("Secure") && !cookie.contains("Domain"))
            #expect(try await page.signIn(link.secret).status == 401)
            #expect(try await page.ask("GET", Routes.lights, cookie: answer.cookie).status == 200)
            #expect(try await page.ask("GET", Routes.lights, cookie: nil).status == 401)
            let me = try await page.ask("GET", Routes.session, cookie: answer.cookie)
            #expect(try me.decoded(SessionBody.self) == body && me.cookie == answer.cookie)
            let token = try #require(server.tokens.tokens.first)
            #expect(token.name == body.name && token.origin == .link(maker: nil))
        }
    }

    @Test func `a link is of no use after ten minutes`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let page = try await server.page()
            let (early, late) = (try await server.link(), try await server.link())
            #expect(early.expires == server.clock.now.advanced(by: OneTimeLinks.lifetime).iso8601)
            await server.clock.advance(by: OneTimeLinks.lifetime - .milliseconds(1))
            #expect(try await page.signIn(early.secret).status == 200)
            await server.clock.advance(by: .milliseconds(1))
            #expect(try await page.signIn(late.secret).status == 401)
            #expect(server.tokens.tokens.count == 1)
        }
    }

    @Test func `of many who use a link at the same time one gets in`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let page = try await server.page()
            let secret = try await server.link().secret
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...FailedAttempts.free { group.addTask { try await page.signIn(secret).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200] + [Int](repeating: 401, count: FailedAttempts.free - 1))
        }
    }

    @Test func `a link that signed nobody in can be used again`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let page = try await server.page()
            let secret = try await server.link().secret
            server.tokens.end(with: .failed(.notSaved(because: "the disk is full")))
            #expect(try await page.signIn(secret).status == 500)
            server.tokens.end(with: .succeeded)
            #expect(try await page.signIn(secret).status == 200)
        }
    }

    @Test func `only the newest links are kept, and none of their secrets`() async throws {
        let now = ContinuousClock.now
        let links = OneTimeLinks(now: { now })
        let secrets = (0...OneTimeLinks.maximum).map { _ in links.make(.full, until: nil, by: nil) }
        #expect(Set(secrets).count == secrets.count)
        for secret in secrets { #expect(secret.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil) }
        #expect(links.take(secrets[0]) == nil)
        for secret in secrets.dropFirst() { #expect(links.take(secret) != nil && links.take(secret) == nil) }
    }

    @Test func `links of many tokens push out each other's, and never one of the person at the machine`() throws {
        let now = ContinuousClock.now
        let links = OneTimeLinks(now: { now })
        func grant(_ family: Int) -> AccessTokens.Grant {
            AccessTokens.Grant(
                name: nil, access: .full, end: nil, isSession: false, family: "\(family)", digest: "\(family)")
        }
        let owners = links.make(.full, until: nil, by: nil)
        let one = links.make(.full, until: nil, by: grant(0))
        for _ in 1...2 * OneTimeLinks.maximum { _ = links.make(.full, until: nil, by: grant(1)) }
        #expect(links.contain(one) && links.contain(owners))
        for family in 2...2 * OneTimeLinks.maximumOfTokens { _ = links.make(.full, until: nil, by: grant(family)) }
        #expect(!links.contain(one) && links.contain(owners))
    }

    @Test func `a link ends after ten minutes that have passed, whatever the time of day becomes`() async throws {
        let start = ContinuousClock.now
        let passed = Mutex(Duration.zero)
        let links = OneTimeLinks(now: { passed.withLock { start + $0 } })
        let (one, other) = (links.make(.full, until: nil, by: nil), links.make(.full, until: nil, by: nil))
        passed.withLock { $0 = OneTimeLinks.lifetime - .milliseconds(1) }
        #expect(links.take(one) != nil)
        passed.withLock { $0 = OneTimeLinks.lifetime }
        #expect(links.take(other) == nil)
        // The machine learns the time of day after its start.
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let secret = try await server.link().secret
            await server.clock.set(to: server.clock.now.advanced(by: .seconds(86_400 * 365)))
            #expect(try await server.page().signIn(secret).status == 200)
        }
    }

    @Test func `names of pages are told apart`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let page = try await server.page()
            for _ in 1...3 { #expect(try await page.signIn(try await server.link().secret).status == 200) }
            let names = server.tokens.tokens.map(\.name)
            #expect(names.count == 3 && names[1] == names[0] + " (2)" && names[2] == names[0] + " (3)")
        }
    }

    @Test(arguments: [
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1", "phone"),
        ("Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/130.0.0.0 Mobile Safari/537.36", "phone"),
        ("Mozilla/5.0 (Linux; Android 15; SM-X700) Chrome/130.0.0.0 Safari/537.36", "tablet"),
        ("Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1", "tablet"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0", "browser"), ("", "browser"),
    ])
    func `a page is named after its device`(userAgent: String, device: String) {
        #expect(PageName(userAgent).text(at: .sample).hasPrefix(device + " "))
    }

    // MARK: Who may make links, and what ends them

    @Test func `revoking a token revokes what was made through it, however far away`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let page = try await server.page()
            let token = try await server.create(TokenRequest(name: "panel"))
            _ = try await server.create(TokenRequest(name: "other"))
            let first = try await page.link(bearer: token)
            let one = try await page.signIn(first.secret)
            let second = try await page.link(cookie: one.cookie)
            let two = try await page.signIn(second.secret)
            let third = try await page.link(cookie: two.cookie)
            let name = try #require(try one.decoded(SessionBody.self).name)
            let session = try await page.ask("GET", Routes.session, cookie: one.cookie)
            #expect(try session.decoded(SessionBody.self).endsWithIt == [name + " (2)"])
            let list: [TokenBody] = try await server.get(Routes.tokens)
            #expect(
                list.map(\.maker) == [nil, nil, "panel", name]
                    && list.map(\.origin) == [.command, .command, .link, .link])
            let revoked = try await server.revoke("panel").decoded(TokenBody.self)
            #expect(revoked.revokedWithIt == [name, name + " (2)"])
            for cookie in [one.cookie, two.cookie] {
                #expect(try await page.ask("GET", Routes.lights, cookie: cookie).status == 401)
            }
            #expect(try await page.signIn(third.secret).status == 401)
            #expect(server.tokens.tokens.map(\.name) == ["other"])
        }
    }

    @Test func `a page of the configuration's token ends with that token, at the next start`() async throws {
        let archive = try await ServerFixture.run(tcp: Self.tcp, reading: \.tokens) { server in
            let page = try await server.page()
            let one = try await page.signIn(try await page.link(bearer: "sesame").secret)
            _ = try await page.signIn(try await page.link(cookie: one.cookie).secret)
            _ = try await page.signIn(try await server.link().secret)
        }
        #expect(archive.tokens.count == 3)
        for (token, count) in [("sesame", 3), ("another", 1), (nil, 1)] {
            let restarted = MemoryTokenArchive()
            for token in archive.tokens { restarted.archive.keep(token) { _ in } }
            let tokens = AccessTokens(
                configured: token, saved: archive.tokens, archive: restarted.archive, now: { .sample })
            #expect(tokens.list.count == count && restarted.tokens.count == count)
        }
    }

    @Test func `a session goes on after a restart`() async throws {
        var answer: ClientFixture.Answer?
        let archive = try await ServerFixture.run(tcp: Self.tcp, reading: \.tokens) { server in
            answer = try await server.page().signIn(try await server.link().secret)
        }
        try await ServerFixture.run(tcp: Self.tcp, savedTokens: archive.tokens) { server in
            let page = try await server.page()
            // Another port: another cookie of the same value.
            let cookie = "lightd-\(page.port)=" + (answer?.cookie?.split(separator: "=", maxSplits: 1).last ?? "")
            #expect(try await page.ask("GET", Routes.session, cookie: cookie).status == 200)
        }
    }

    @Test func `a link allows what it says, and only full tokens make any`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack, tcp: Self.tcp) { server in
            let page = try await server.page()
            let reader = try await server.create(TokenRequest(name: "reader", access: .readOnly))
            let refused = try await server.ask("POST", Routes.links, token: reader, body: "{}")
            #expect(refused.status == 403)
            #expect(try await server.status("POST", Routes.links, token: nil, body: "{}") == 401)
            let watching = try await page.signIn(try await server.link(.readOnly).secret)
            #expect(try watching.decoded(SessionBody.self).access == .readOnly)
            for (path, status) in [(Routes.messages, 403), (Routes.links, 403)] {
                let answer = try await page.ask("POST", path, cookie: watching.cookie, body: toggle)
                #expect(answer.status == status)
            }
            #expect(try await page.ask("GET", Routes.lights, cookie: watching.cookie).status == 200)
            // It makes no tokens that outlive it, and sees none.
            let full = try await page.signIn(try await server.link().secret)
            #expect(try await page.ask("GET", Routes.tokens, cookie: full.cookie).status == 403)
            #expect(try await page.ask("POST", Routes.tokens, cookie: full.cookie, body: "{}").status == 403)
        }
    }

    @Test(arguments: [
        "[]", "x", #"{"acess":"read_only"}"#, #"{"access":"all"}"#, #"{"access":null}"#, #"{"access":true}"#,
        #"{"access":"read_only","access":"full"}"#,
    ])
    func `a wrong request makes no link`(body: String) async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let answer = try await ClientFixture.ask(server.address, "POST", Routes.links, body: body)
            #expect(answer.status == 400)
        }
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"token":"a","link":"b"}"#, #"{"name":"a"}"#, #"{"token":null}"#, #"{"token":true}"#,
        #"{"token":"wrong","token":"sesame"}"#, #"{"token":"sesame","replace":"yes"}"#, #"{"replace":true}"#,
    ])
    func `a wrong request signs nobody in`(body: String) async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let answer = try await server.page().ask("POST", Routes.session, cookie: nil, body: body)
            #expect(answer.status == 400 && answer.headers["set-cookie"] == nil)
        }
    }

    // MARK: Signing in and out

    @Test func `strangers cannot take memory or connections by signing in slowly or at length`() async throws {
        var timeouts = ConnectionTimeouts()
        timeouts.signIn = .milliseconds(200)
        try await ServerFixture.run(tcp: Self.tcp, timeouts: timeouts) { server in
            let page = try await server.page()
            let long = try await page.ask(
                "POST", Routes.session, cookie: nil, body: #"{"link":"\#(String(repeating: "x", count: 5000))"}"#)
            #expect(long.status == 413)
            let slow = try ClientFixture(.port(page.port))
            try await slow.send("POST \(Routes.session) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
            let answer = try await slow.answer()
            #expect(answer.status == 408 && answer.headers["connection"] == "close")
        }
        var tcp = Self.tcp
        tcp.proxies = [try #require(AddressRange("127.0.0.1"))]
        // However slowly the test opens them: all are to be open at the end.
        (timeouts.signIn, timeouts.unknown) = (.seconds(1000), .seconds(1000))
        try await ServerFixture.run(tcp: tcp, timeouts: timeouts) { server in
            let port = try #require(server.port)
            var waiting: [ClientFixture] = []
            func status(from sender: Int) async throws -> Int {
                let headers = ["X-Forwarded-For": "10.0.0.\(sender)"]
                return try await ClientFixture.ask(.port(port), "POST", Routes.session, headers, body: "{}").status
            }
            for sender in 1...4 {
                // However many one address holds, the others still sign in.
                #expect(try await status(from: sender) == 400)
                for _ in 1...8 {
                    let client = try ClientFixture(.port(port))
                    try await client.send(
                        "POST \(Routes.session) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n"
                            + "X-Forwarded-For: 10.0.0.\(sender)\r\nExpect: 100-continue\r\n\r\n")
                    // Its body is asked for: it is counted.
                    #expect(try await client.answer(hasBody: false).status == 100)
                    waiting.append(client)
                }
                #expect(try await status(from: sender) == 503)
            }
            #expect(try await status(from: 5) == 503)
            #expect(try await server.status("GET", Routes.lights, token: "sesame") == 200)
            withExtendedLifetime(waiting) {}
        }
    }

    @Test func `signing out ends the session, and leaves a token that was pasted`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let page = try await server.page()
            let token = try await server.create(TokenRequest(name: "panel"))
            let pasted = try await page.ask("POST", Routes.session, cookie: nil, body: #"{"token":"\#(token)"}"#)
            let linked = try await page.signIn(try await server.link().secret)
            for answer in [pasted, linked] {
                let out = try await page.ask("DELETE", Routes.session, cookie: answer.cookie)
                #expect(out.status == 204 && out.headers["set-cookie"]?.contains("=; Path=/; Max-Age=0") == true)
            }
            #expect(server.tokens.tokens.map(\.name) == ["panel"])
            for answer in [pasted, linked] {
                #expect(try await page.ask("GET", Routes.lights, cookie: answer.cookie).status == 401)
            }
            #expect(try await server.status("GET", Routes.lights, token: token) == 200)
            // The cookie goes even if its token has gone before.
            let again = try await page.ask("DELETE", Routes.session, cookie: linked.cookie)
            #expect(again.status == 204 && again.headers["set-cookie"] != nil)
        }
    }

    @Test func `the configuration's token signs in too, whatever its characters`() async throws {
        var tcp = Self.tcp
        tcp.token = "a;b, \"c\" = ü"
        try await ServerFixture.run(in: HomeFixture.state, tcp: tcp) { server in
            let page = try await server.page()
            let body = String(decoding: try JSONEncoder().encode(["token": tcp.token]), as: UTF8.self)
            let answer = try await page.ask("POST", Routes.session, cookie: nil, body: body)
            #expect(try answer.decoded(SessionBody.self).access == .full)
            #expect(try await page.ask("GET", Routes.lights, cookie: answer.cookie).status == 200)
        }
    }

    @Test func `over the unix socket no sign-in is needed`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let me: SessionBody = try await server.get(Routes.session)
            #expect(me == SessionBody(access: .full))
        }
    }

    @Test func `without TCP there is no page to open, and the error says what to write where`() async throws {
        try await ServerFixture.run { server in
            let answer = try await ClientFixture.ask(server.address, "POST", Routes.links, body: "{}")
            #expect(answer.status == 422)
            #expect(try answer.error.hint?.contains("tcp: {enabled: true, host: 0.0.0.0}") == true)
        }
    }

    /// Any web page can open lightd's with a wrong link, and every browser sends the cookie of a session that has ended.
    @Test func `only wrong tokens make their sender wait, not wrong links, nor sessions that have ended`() async throws
    {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let page = try await server.page()
            let ended = try await page.signIn(try await server.link().secret)
            let living = try await page.signIn(try await server.link().secret)
            _ = try await page.ask("DELETE", Routes.session, cookie: ended.cookie)
            for _ in 1...20 { #expect(try await page.ask("GET", Routes.events, cookie: ended.cookie).status == 401) }
            for _ in 1...20 { #expect(try await page.signIn("guess").status == 401) }
            // What a cookie held before sessions had tokens of their own, or what somebody writes there.
            let guess = SessionCookie(RequestSource(authority: "localhost:\(page.port)")).set("sesame")
            let cookie = String(guess.prefix { $0 != ";" })
            for path in ["/", Routes.lights, Routes.session] {
                for _ in 1...20 {
                    #expect(try await page.ask("GET", path, cookie: cookie).status == (path == "/" ? 200 : 401))
                }
            }
            #expect(try await server.status("GET", Routes.lights, token: "sesame") == 200)
            for _ in 0...FailedAttempts.free {
                #expect(
                    try await page.ask("POST", Routes.session, cookie: cookie, body: #"{"token":"guess"}"#).status
                        == 401)
            }
            #expect(try await server.status("GET", Routes.lights, token: "sesame") == 429)
            // Guesses by others do not sign a page out that shares their address.
            #expect(try await page.ask("GET", Routes.lights, cookie: living.cookie).status == 200)
            #expect(try await page.signIn(try await server.link().secret).status == 200)
            await server.clock.advance(by: .seconds(1))
            #expect(try await server.status("GET", Routes.lights, token: "sesame") == 200)
        }
    }

    // MARK: Sessions

    @Test func `a page that is signed in with a token has a session of its own, which ends with that token`()
        async throws
    {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let page = try await server.page()
            let token = try await server.create(TokenRequest(name: "panel", access: .readOnly))
            let pages = [try await page.signIn(token: token), try await page.signIn(token: token)]
            let configured = try await page.signIn(token: "sesame")
            let list: [TokenBody] = try await server.get(Routes.tokens)
            let sessions = list.filter { $0.origin == .signIn }
            #expect(sessions.map(\.maker) == ["panel", "panel", nil])
            #expect(sessions.map(\.access) == [.readOnly, .readOnly, .full])
            let session = SessionBody(access: .readOnly, name: sessions[0].name, isNamed: false, by: "panel")
            #expect(try pages[0].decoded(SessionBody.self) == session)
            for page in pages { #expect(!server.tokens.tokens.contains { page.cookie?.contains($0.digest) ?? true }) }
            let out = try await page.ask("DELETE", Routes.session, cookie: pages[0].cookie)
            #expect(out.status == 204)
            #expect(try await page.ask("GET", Routes.lights, cookie: pages[1].cookie).status == 200)
            #expect(try await server.revoke("panel").decoded(TokenBody.self).revokedWithIt == [sessions[1].name])
            #expect(try await page.ask("GET", Routes.lights, cookie: pages[1].cookie).status == 401)
            #expect(try await page.ask("GET", Routes.lights, cookie: configured.cookie).status == 200)
        }
    }

    @Test(arguments: [Routes.events, Routes.pageEvents])
    func `streams end with their session, in every tab`(path: String) async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let page = try await server.page()
            let token = try await server.create(TokenRequest(name: "panel"))
            for answer in [try await page.signIn(token: token), try await page.signIn(try await server.link().secret)] {
                let headers = ["Host": page.host, "Cookie": answer.cookie ?? ""]
                let tabs = try (1...2).map { _ in try ClientFixture(.port(page.port)) }
                for tab in tabs {
                    #expect(try await tab.open(path, headers).status == 200)
                    _ = try await tab.event()
                }
                let other = try ClientFixture(.port(page.port))
                #expect(try await other.open(path, ["Authorization": "Bearer \(token)"]).status == 200)
                _ = try await other.event()
                #expect(try await page.ask("DELETE", Routes.session, cookie: answer.cookie).status == 204)
                // Nothing changes in the home.
                for tab in tabs { #expect(try await tab.event() == nil) }
                #expect(other.isSilent)
            }
        }
    }

    @Test func `who is signed in stays so, unless the page asks for another session, and then the old one ends`()
        async throws
    {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let page = try await server.page()
            let first = try await page.signIn(try await server.link().secret)
            let name = try #require(try first.decoded(SessionBody.self).name)
            let secret = try await server.link(.readOnly).secret
            for body in [#"{"link":"\#(secret)"}"#, #"{"token":"sesame"}"#, #"{"link":"\#(secret)","replace":false}"#] {
                let refused = try await page.ask("POST", Routes.session, cookie: first.cookie, body: body)
                #expect(refused.status == 409 && refused.headers["set-cookie"] == nil)
                #expect(try refused.error.code == .signedIn && refused.error.message.contains(name))
            }
            let useless = try await page.ask(
                "POST", Routes.session, cookie: first.cookie, body: #"{"link":"used before"}"#)
            #expect(useless.status == 401 && useless.headers["set-cookie"] == nil)
            #expect(try await page.ask("GET", Routes.session, cookie: first.cookie).status == 200)
            let body = #"{"link":"\#(secret)","replace":true}"#
            let second = try await page.ask("POST", Routes.session, cookie: first.cookie, body: body)
            #expect(try second.decoded(SessionBody.self).access == .readOnly)
            #expect(server.tokens.tokens.map(\.access) == [.readOnly])
            #expect(try await page.ask("GET", Routes.session, cookie: first.cookie).status == 401)
            #expect(try await page.ask("GET", Routes.session, cookie: second.cookie).status == 200)
        }
    }

    @Test func `a session that signs itself in anew by its own link goes on, because the new one hangs on it`()
        async throws
    {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let page = try await server.page()
            let first = try await page.signIn(try await server.link().secret)
            let body = #"{"link":"\#(try await page.link(cookie: first.cookie).secret)","replace":true}"#
            let second = try await page.ask("POST", Routes.session, cookie: first.cookie, body: body)
            #expect(try await page.ask("GET", Routes.lights, cookie: second.cookie).status == 200)
            #expect(server.tokens.tokens.count == 2)
        }
    }

    @Test func `a session that cannot be replaced goes on, and the link too`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let page = try await server.page()
            let first = try await page.signIn(try await server.link().secret)
            let body = #"{"link":"\#(try await server.link().secret)","replace":true}"#
            server.tokens.end(with: .failed(.notSaved(because: "the disk is full")))
            #expect(try await page.ask("POST", Routes.session, cookie: first.cookie, body: body).status == 500)
            #expect(try await page.ask("GET", Routes.lights, cookie: first.cookie).status == 200)
            server.tokens.end(with: .succeeded)
            #expect(try await page.ask("POST", Routes.session, cookie: first.cookie, body: body).status == 200)
            #expect(server.tokens.tokens.count == 1)
        }
    }

    @Test func `the journal says which page sent a command`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack, tcp: Self.tcp) { server in
            let page = try await server.page()
            let answer = try await page.signIn(try await server.link().secret)
            #expect(try await page.ask("POST", Routes.messages, cookie: answer.cookie, body: toggle).status == 200)
            let name = try #require(server.tokens.tokens.first?.name)
            #expect(
                server.home.journal.entries[0].message.ticket.holder == "a page with token '\(name)' over TCP")
        }
    }

    private var toggle: String { #"{"command":"toggle","target":"desk"}"# }
}

/// A browser that shows lightd's page.
struct PageFixture: Sendable {
    let port: Int

    var host: String { "localhost:\(port)" }
    var origin: String { "http://\(host)" }

    func ask(
        _ method: String, _ path: String, cookie: String?, _ headers: [String: String] = [:], body: String? = nil
    ) async throws -> ClientFixture.Answer {
        var all = ["Host": host, "User-Agent": "Mozilla/5.0 (Linux; Android 15) Mobile"]
        if method != "GET" { all["Origin"] = origin }
        if let cookie { all["Cookie"] = cookie }
        return try await ClientFixture.ask(.port(port), method, path, all.merging(headers) { $1 }, body: body)
    }

    func signIn(_ link: String) async throws -> ClientFixture.Answer {
        try await ask("POST", Routes.session, cookie: nil, body: #"{"link":"\#(link)"}"#)
    }

    func signIn(token: String) async throws -> ClientFixture.Answer {
        try await ask("POST", Routes.session, cookie: nil, body: #"{"token":"\#(token)"}"#)
    }

    func link(cookie: String? = nil, bearer: String? = nil) async throws -> LinkBody {
        let headers = bearer.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        let answer = try await ask("POST", Routes.links, cookie: cookie, headers, body: "{}")
        #expect(answer.status == 201)
        return try answer.decoded()
    }
}

extension LinkBody {
    var secret: String { String(url.split(separator: "#join=")[1]) }
}

extension ClientFixture.Answer {
    /// What a browser would send back.
    var cookie: String? { headers["set-cookie"].map { String($0.prefix { $0 != ";" }) } }
}

extension ServerFixture {
    func page() async throws -> PageFixture { PageFixture(port: try #require(port)) }

    /// A link, made over the socket.
    func link(_ access: TokenAccess? = nil) async throws -> LinkBody {
        let body = String(decoding: try JSONEncoder().encode(LinkRequest(access: access)), as: UTF8.self)
        let answer = try await ClientFixture.ask(address, "POST", Routes.links, body: body)
        #expect(answer.status == 201)
        return try answer.decoded()
    }

    /// Runs the server for as long as `body` runs, and returns something of it.
    static func run<Value: Sendable>(
        tcp: ControlServerSettings.TCP, reading path: KeyPath<ServerFixture, Value>,
        _ body: (ServerFixture) async throws -> Void
    ) async throws -> Value {
        var value: Value?
        try await run(tcp: tcp) { server in
            try await body(server)
            value = server[keyPath: path]
        }
        return try #require(value)
    }
}
