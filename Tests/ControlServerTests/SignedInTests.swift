import ControlProtocol
import ControlSurface
import Foundation
import HTTPTypes
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import ControlServer

/// Who is signed in: their names, their ends, and how they are signed out.
@Suite struct SignedInTests {
    private static let tcp = ControlServerSettings.TCP(host: "127.0.0.1", port: 0, token: "sesame")

    // MARK: Laws

    /// A household: programs, pages that they have signed in, and pages that those have let in.
    private struct Household {
        var random: SplitMix
        let archive = MemoryTokenArchive()
        private(set) var tokens: [AccessToken] = []

        init(seed: UInt64) {
            random = SplitMix(seed: seed)
            for number in 0..<12 {
                let maker = tokens.isEmpty || pick(4) == 0 ? nil : tokens[pick(tokens.count)]
                let own = pick(3) == 0 ? Timestamp.sample.advanced(by: .seconds(pick(1000) + 1)) : nil
                let origin: AccessToken.Origin =
                    if number < 2 {
                        .command
                    } else if let maker, pick(3) == 0 {
                        .signIn(maker: maker.digest)
                    } else {
                        .link(maker: maker?.digest)
                    }
                // Not that of its maker, which may have been given another since.
                tokens.append(
                    AccessToken(
                        name: "\(number)", access: .full, digest: "digest \(number)", created: .sample, end: own,
                        origin: origin))
            }
            for token in tokens { archive.archive.keep(token) { _ in } }
        }

        mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

        var all: AccessTokens { restarted(with: tokens) }

        func restarted(with tokens: [AccessToken]) -> AccessTokens {
            AccessTokens(configured: nil, saved: tokens, archive: archive.archive, now: { .sample })
        }

        func grant(_ token: AccessToken) -> AccessTokens.Grant {
            AccessTokens.Grant(
                name: token.name, access: .full, end: end(of: token), isSession: token.origin != .command, family: "",
                digest: token.digest)
        }

        /// Nobody outlives the one with which they end.
        func end(of token: AccessToken) -> Timestamp? {
            let maker = tokens.first { $0.digest == token.maker }
            return [token.end, maker.flatMap(end(of:))].compactMap(\.self).min()
        }

        /// The names of those that end with this one.
        func below(_ name: String) -> Set<String> {
            let digest = tokens.first { $0.name == name }?.digest
            let children = tokens.filter { $0.maker == digest }.map(\.name)
            return children.reduce(into: Set(children)) { $0.formUnion(below($1)) }
        }
    }

    /// What must be true of any household.
    ///
    /// - Parameter isLonger: whether somebody may have been given more time.
    private func check(_ household: Household, _ all: AccessTokens, isLonger: Bool = false) {
        let now = household.archive.tokens
        // What is kept is what counts.
        #expect(now.map(\.name) == all.list.map(\.name))
        let byDigest = Dictionary(uniqueKeysWithValues: now.map { ($0.digest, $0) })
        for token in now {
            guard let maker = token.maker else { continue }
            #expect(byDigest[maker] != nil, "\(token.name) hangs on nobody")
        }
        let ends = Dictionary(uniqueKeysWithValues: all.signedIn(nil).map { ($0.name, $0.ends) })
        for token in now {
            for one in sequence(first: token, next: { $0.maker.flatMap { byDigest[$0] } }) {
                let end = ends[token.name].flatMap { $0 }.flatMap { Timestamp(iso8601: $0) }
                if let most = one.end { #expect(end.map { $0 <= most } == true) }
            }
            // Nobody gains by what becomes of others.
            let before = household.tokens.first { $0.name == token.name }.flatMap(household.end(of:))
            if !isLonger, let before { #expect(ends[token.name] == before.iso8601) }
        }
        #expect(household.restarted(with: now).list.map(\.name) == now.map(\.name))
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `who is signed out is out, who asks stays, and of the others just those stay that are to`(
        seed: UInt64
    ) async throws {
        var household = Household(seed: seed)
        let all = household.all
        let own = household.tokens[household.pick(household.tokens.count)]
        let chosen = household.tokens[2 + household.pick(10)]
        let keepsAll = household.pick(2) == 0
        let (out, _) = try await all.signOut(
            .one(id: AccessTokens.id(of: chosen.digest)), keepsAll: keepsAll, by: household.grant(own))
        let names = Set(household.archive.tokens.map(\.name))
        var expected = Set(household.tokens.map(\.name)).subtracting([chosen.name])
        if !keepsAll {
            let below = household.below(chosen.name)
            expected.subtract(below)
            if below.contains(own.name) { expected.formUnion(household.below(own.name).union([own.name])) }
        }
        #expect(names == expected)
        #expect(Set(out) == Set(household.tokens.map(\.name)).subtracting(expected))
        check(household, all)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `when all others are signed out, programs stay and the page that asks`(seed: UInt64) async throws {
        var household = Household(seed: seed)
        let all = household.all
        let own = household.tokens[2 + household.pick(10)]
        _ = try await all.signOut(.others, keepsAll: false, by: household.grant(own))
        #expect(Set(household.archive.tokens.map(\.name)) == ["0", "1", own.name])
        #expect(all.exists(household.grant(own)))
        check(household, all)
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `nobody gives more time than they have, nor to themselves, and nobody outlives who let them in`(
        seed: UInt64
    ) async throws {
        var household = Household(seed: seed)
        let all = household.all
        let own = household.grant(household.tokens[household.pick(household.tokens.count)])
        let chosen = household.tokens[2 + household.pick(10)]
        let asked: AccessTokens.End =
            household.pick(3) == 0 ? .never : .at(.sample.advanced(by: .seconds(household.pick(1000) + 1)))
        let time: Timestamp? = if case let .at(time) = asked { time } else { nil }
        let isTooMuch = own.end.map { most in time.map { $0 > most } ?? true } ?? false
        do {
            let (_, end) = try await all.end(AccessTokens.id(of: chosen.digest), asked, by: own)
            #expect(chosen.digest != own.digest && !isTooMuch)
            let maker = household.tokens.first { $0.digest == chosen.maker }.flatMap(household.end(of:))
            #expect(end == [time, maker].compactMap(\.self).min())
        } catch {
            #expect(error.error.code == .notAllowed && (chosen.digest == own.digest || isTooMuch))
            #expect(household.archive.tokens.map(\.end) == household.tokens.sorted { $0.name < $1.name }.map(\.end))
        }
        check(household, all, isLonger: true)
    }

    // MARK: Names

    @Test func `a page has the name that it was given, in the journal, too, and its streams go on`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack, tcp: Self.tcp) { server in
            let page = try await server.page()
            let cookie = try await page.signIn(try await server.link(.control).secret).cookie
            let reader = try ClientFixture(.port(page.port))
            let headers = ["Cookie": try #require(cookie), "Host": page.host]
            #expect(try await reader.open(Routes.events, headers).status == 200)
            _ = try await reader.event()
            let named = try await page.name("Anna's  phone", cookie)
            #expect(try named.decoded(SessionBody.self).name == "Anna\u{2019}s phone")
            let session = try await page.ask("GET", Routes.session, cookie: cookie).decoded(SessionBody.self)
            #expect(session.name == "Anna\u{2019}s phone" && session.isNamed == true)
            #expect(server.tokens.tokens.map(\.name) == ["Anna\u{2019}s phone"])
            await server.change(.updating(.light(HomeFixture.stove.id, by: [.renaming(.it(to: "Oven"))])))
            #expect(try await reader.event() != nil)
            #expect(try await page.ask("POST", Routes.messages, cookie: cookie, body: toggle).status == 200)
            let holder = server.home.journal.entries[0].message.ticket.holder
            #expect(holder == "a page named 'Anna\u{2019}s phone' over TCP")
            #expect(SenderText.brief(holder) == "'Anna\u{2019}s phone'")
        }
    }

    @Test func `two of one name stay apart, and one keeps its own`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let page = try await server.page()
            var cookies: [String?] = []
            for _ in 1...3 { cookies.append(try await page.signIn(try await server.link().secret).cookie) }
            for cookie in cookies { _ = try await page.name("Anna", cookie) }
            _ = try await page.name("Anna (2)", cookies[1])
            _ = try await page.name("anna", cookies[2])
            #expect(server.tokens.tokens.map(\.name) == ["Anna", "Anna (2)", "anna (3)"])
        }
    }

    private static let quotationMarks =
        "'\"`\u{2018}\u{201A}\u{201B}\u{201C}\u{201D}\u{201E}\u{AB}\u{BB}\u{2039}\u{203A}"

    @Test(arguments: [
        "x' over TCP", "x\u{2019} over TCP from 192.0.2.1", "\"anna (uid 1000) with lightctl", "a page", "lightd",
        "\u{202E}kcolc", "a\u{200B}\u{2069}b", "\u{2068}\u{2068}x", "power came back", "{at}", "<b>x</b>", "'x'",
        "''x''y'z",
        "\u{301}x", String(repeating: "x'", count: 200), "x\u{0}\n\ty",
    ])
    func `no name ends its marks, and nothing in it is unseen`(name: String) async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack, tcp: Self.tcp) { server in
            let page = try await server.page()
            let cookie = try await page.signIn(try await server.link().secret).cookie
            let body = String(decoding: try JSONEncoder().encode(["name": name]), as: UTF8.self)
            let answer = try await page.ask("PUT", Routes.session, cookie: cookie, body: body)
            let given = try #require(try answer.decoded(SessionBody.self).name)
            #expect(PrintableText.isPrintable(given) && given.unicodeScalars.count <= 64)
            #expect(!given.contains { Self.quotationMarks.contains($0) })
            let pieces = given.split(separator: "\u{2019}", omittingEmptySubsequences: false)
            #expect(
                zip(pieces, pieces.dropFirst()).allSatisfy { $0.last?.isLetter == true && $1.first?.isLetter == true })
            _ = try await page.ask("POST", Routes.messages, cookie: cookie, body: toggle)
            let holder = server.home.journal.entries[0].message.ticket.holder
            #expect(holder == "a page named '\(given)' over TCP")
            #expect(SenderText.brief(holder) == "'\(given)'")
        }
    }

    @Test(arguments: [
        #"{"name":""}"#, #"{"name":" \u200B"}"#, #"{"name":"\"'"}"#, #"{"name":1}"#, "{}", "[]", "",
        #"{"name":"a","ends":"never"}"#, #"{"name":"a","name":"b"}"#,
    ])
    func `a wrong name is refused`(body: String) async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let page = try await server.page()
            let cookie = try await page.signIn(try await server.link(.look).secret).cookie
            #expect(try await page.ask("PUT", Routes.session, cookie: cookie, body: body).status == 400)
            #expect(server.tokens.tokens[0].isNamed == false)
        }
    }

    @Test func `a page that renames itself without end has to wait, and others do not`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let page = try await server.page()
            let cookie = try await page.signIn(try await server.link(.look).secret).cookie
            let other = try await page.signIn(try await server.link(.look).secret).cookie
            for number in 1...AccessTokens.mostChanges {
                #expect(try await page.name("\(number)", cookie).status == 200)
            }
            let refused = try await page.name("again", cookie)
            #expect(refused.status == 429)
            #expect(try await page.name("other", other).status == 200)
            await server.clock.advance(by: AccessTokens.changeInterval)
            #expect(try await page.name("again", cookie).status == 200)
        }
    }

    @Test func `a name that cannot be saved is not given`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let page = try await server.page()
            let cookie = try await page.signIn(try await server.link().secret).cookie
            let name = server.tokens.tokens[0].name
            server.tokens.end(with: .failed(.notSaved(because: "the disk is full")))
            #expect(try await page.name("Anna", cookie).status == 500)
            #expect(try await page.ask("GET", Routes.session, cookie: cookie).decoded(SessionBody.self).name == name)
            server.tokens.end(with: .succeeded)
            #expect(try await page.name("Anna", cookie).status == 200)
        }
    }

    @Test func `who was let in is told by whom, if a person has named that one`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let page = try await server.page()
            let host = try await page.signIn(try await server.link().secret)
            #expect(try host.decoded(SessionBody.self).by == nil)
            let unnamed = try await page.signIn(try await page.link(cookie: host.cookie).secret)
            #expect(try unnamed.decoded(SessionBody.self).by == nil)
            _ = try await page.name("Anna", host.cookie)
            let guest = try await page.signIn(try await page.link(cookie: host.cookie).secret)
            #expect(try guest.decoded(SessionBody.self).by == "Anna")
            let token = try await server.create(TokenRequest(name: "panel"))
            #expect(try await page.signIn(token: token).decoded(SessionBody.self).by == "panel")
        }
    }

    // MARK: The list

    @Test func `the list tells who may come in, and nothing with which anybody could`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let page = try await server.page()
            let secret = try await server.create(TokenRequest(name: "panel", access: .look))
            let host = try await page.signIn(try await server.link().secret)
            _ = try await page.signIn(try await page.link(cookie: host.cookie).secret)
            let answer = try await page.ask("GET", Routes.sessions, cookie: host.cookie)
            let list = try answer.decoded([SignedInBody].self)
            #expect(list.map(\.origin) == [.command, .link, .link] && list.map(\.isNamed) == [true, false, false])
            #expect(list.map(\.isSelf) == [false, true, false] && list[2].maker == list[1].id && list[1].maker == nil)
            let text = String(decoding: answer.body, as: UTF8.self)
            for token in server.tokens.tokens { #expect(!text.contains(token.digest)) }
            #expect(!text.contains(secret.suffix(64)) && Set(list.map(\.id)).count == 3)
            // Nothing in it opens anything.
            for one in list { #expect(try await server.status("GET", Routes.lights, token: one.id) == 401) }
            // Over the socket nobody of it is the one that asks.
            #expect(try await server.get(Routes.sessions, as: [SignedInBody].self).allSatisfy { !$0.isSelf })
        }
    }

    @Test func `what changes who is signed in counts only from lightd's own page`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let page = try await server.page()
            let cookie = try await page.signIn(try await server.link().secret).cookie
            _ = try await page.signIn(try await server.link().secret)
            let all = try await page.ask("GET", Routes.sessions, cookie: cookie).decoded([SignedInBody].self)
            let other = try #require(all.first { !$0.isSelf })
            for (method, path, body) in [
                ("PUT", Routes.session, #"{"name":"x"}"#),
                ("PUT", "\(Routes.sessions)?id=\(other.id)", #"{"name":"x"}"#),
                ("DELETE", "\(Routes.sessions)?id=\(other.id)", nil), ("DELETE", "\(Routes.sessions)?others=true", nil),
            ] {
                for headers in [["Origin": "http://evil.example"], ["Origin": "null"], ["Sec-Fetch-Site": "same-site"]]
                {
                    #expect(try await page.ask(method, path, cookie: cookie, headers, body: body).status == 403)
                }
                #expect(try await page.ask(method, path, cookie: nil, body: body).status == 401)
            }
            #expect(server.tokens.tokens.count == 2 && server.tokens.tokens.allSatisfy { !$0.isNamed })
        }
    }

    @Test func `a page renames, limits and signs out another, and its stream ends then`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let page = try await server.page()
            let cookie = try await page.signIn(try await server.link().secret).cookie
            let guest = try await page.signIn(try await page.link(cookie: cookie).secret).cookie
            let all = try await page.ask("GET", Routes.sessions, cookie: cookie).decoded([SignedInBody].self)
            let id = try #require(all.first { !$0.isSelf }).id
            let reader = try ClientFixture(.port(page.port))
            let headers = ["Cookie": try #require(guest), "Host": page.host]
            #expect(try await reader.open(Routes.events, headers).status == 200)
            _ = try await reader.event()
            let end = server.clock.now.advanced(by: .seconds(60)).iso8601
            let changed = try await page.ask(
                "PUT", "\(Routes.sessions)?id=\(id)", cookie: cookie, body: #"{"name":"Tom","ends":"\#(end)"}"#)
            let body = try changed.decoded(SignedInBody.self)
            #expect(body.name == "Tom" && body.isNamed && body.ends == end && body.id == id)
            let left = try await page.ask("DELETE", "\(Routes.sessions)?id=\(id)", cookie: cookie)
            #expect(try left.decoded([SignedInBody].self).map(\.isSelf) == [true])
            #expect(try await reader.event() == nil)
            #expect(try await page.ask("GET", Routes.lights, cookie: guest).status == 401)
            let again = try await page.ask("DELETE", "\(Routes.sessions)?id=\(id)", cookie: cookie)
            #expect(try again.status == 404 && again.error.code == .noSuchTarget)
            let events = server.accessLog.events.filter { [.tokenChanged, .tokenRevoked].contains($0.kind) }
            #expect(events.compactMap(\.reason).count == 2 && events.last?.subject == "Tom")
        }
    }

    @Test func `a link that was made before its maker's end was set signs nobody in for longer`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let page = try await server.page()
            let host = try await page.signIn(try await server.link().secret).cookie
            let guest = try await page.signIn(try await server.link().secret).cookie
            let link = try await page.ask("POST", Routes.links, cookie: guest, body: "{}").decoded(LinkBody.self)
            let all = try await page.ask("GET", Routes.sessions, cookie: host).decoded([SignedInBody].self)
            let id = try #require(all.first { !$0.isSelf }?.id)
            let body = #"{"ends":"2099-01-01T00:00:00Z"}"#
            #expect(try await page.ask("PUT", "\(Routes.sessions)?id=\(id)", cookie: host, body: body).status == 200)
            let friend = try await page.signIn(String(link.url.split(separator: "=")[1])).cookie
            let session = try await page.ask("GET", Routes.session, cookie: friend).decoded(SessionBody.self)
            #expect(session.ends == "2099-01-01T00:00:00.000Z")
        }
    }

    @Test func `programs are changed by no page`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            _ = try await server.create(TokenRequest(name: "panel"))
            let page = try await server.page()
            let cookie = try await page.signIn(try await server.link().secret).cookie
            let all = try await page.ask("GET", Routes.sessions, cookie: cookie).decoded([SignedInBody].self)
            let path = "\(Routes.sessions)?id=\(try #require(all.first { $0.origin == .command }).id)"
            #expect(try await page.ask("PUT", path, cookie: cookie, body: #"{"name":"x"}"#).status == 422)
            #expect(try await page.ask("PUT", path, cookie: cookie, body: #"{"ends":"never"}"#).status == 422)
            #expect(try await page.ask("DELETE", path, cookie: cookie).status == 422)
            #expect(try await page.ask("DELETE", "\(Routes.sessions)?others=true", cookie: cookie).status == 200)
            #expect(server.tokens.tokens.map(\.origin) == [.command, .link(maker: nil)])
        }
    }

    @Test(
        arguments: [
            ("PUT", "?id=x", "{}", 400), ("PUT", "", #"{"name":"x"}"#, 400), ("PUT", "?id=x", #"{"name":"x"}"#, 404),
            ("PUT", "?id=x", #"{"ends":"soon"}"#, 400), ("PUT", "?id=x", #"{"ends":"2001-01-01T00:00:00Z"}"#, 400),
            ("PUT", "?id=x", #"{"ends":null}"#, 400), ("DELETE", "", nil, 400), ("DELETE", "?others=false", nil, 400),
            ("DELETE", "?others=perhaps", nil, 400), ("DELETE", "?id=x", nil, 404), ("DELETE", "?name=x", nil, 400),
        ] as [(String, String, String?, Int)])
    func `a wrong request changes nobody`(method: String, query: String, body: String?, status: Int) async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let page = try await server.page()
            let cookie = try await page.signIn(try await server.link().secret).cookie
            let before = server.tokens.tokens
            #expect(try await page.ask(method, Routes.sessions + query, cookie: cookie, body: body).status == status)
            #expect(server.tokens.tokens == before)
        }
    }

    // MARK: Handing over

    @Test(arguments: [false, true]) func `who signs out may leave those that were let in`(keeps: Bool) async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let page = try await server.page()
            let host = try await page.signIn(try await server.link().secret).cookie
            let child = try await page.signIn(try await page.link(cookie: host).secret).cookie
            let path = Routes.session + (keeps ? "?keep=true" : "")
            #expect(try await page.ask("DELETE", path, cookie: host).status == 204)
            #expect(try await page.ask("GET", Routes.lights, cookie: host).status == 401)
            #expect(try await page.ask("GET", Routes.lights, cookie: child).status == (keeps ? 200 : 401))
            #expect(server.tokens.tokens.map(\.origin) == (keeps ? [.link(maker: nil)] : []))
        }
    }

    @Test func `what stays still ends with the token that it goes back to`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let page = try await server.page()
            let token = try await server.create(TokenRequest(name: "panel"))
            let host = try await page.signIn(token: token).cookie
            let child = try await page.signIn(try await page.link(cookie: host).secret).cookie
            #expect(try await page.ask("DELETE", "\(Routes.session)?keep=true", cookie: host).status == 204)
            #expect(try await page.ask("GET", Routes.lights, cookie: child).status == 200)
            _ = try await server.revoke("panel")
            #expect(try await page.ask("GET", Routes.lights, cookie: child).status == 401)
            #expect(server.tokens.tokens.isEmpty)
        }
    }

    @Test func `who cannot be saved as staying keeps the one in place with whom they would end`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let page = try await server.page()
            let host = try await page.signIn(try await server.link().secret).cookie
            let child = try await page.signIn(try await page.link(cookie: host).secret).cookie
            server.tokens.end(with: .failed(.notSaved(because: "the disk is full")))
            #expect(try await page.ask("DELETE", "\(Routes.session)?keep=true", cookie: host).status == 500)
            for cookie in [host, child] {
                #expect(try await page.ask("GET", Routes.lights, cookie: cookie).status == 200)
            }
        }
    }

    private var toggle: String { #"{"command":"toggle","target":"desk"}"# }
}

extension PageFixture {
    fileprivate func name(_ name: String, _ cookie: String?) async throws -> ClientFixture.Answer {
        try await ask("PUT", Routes.session, cookie: cookie, body: #"{"name":"\#(name)"}"#)
    }
}
