import ControlProtocol
import ControlSurface
import Foundation
import HTTPTypes
import Khipu
import Lighting
import LightingTestKit
import Testing

@testable import ControlServer

@Suite struct RoleTests {
    private static let tcp = ControlServerSettings.TCP(host: "127.0.0.1", port: 0)

    /// What each level adds to the one before. A new route is to be added here, by a person who has thought about it.
    @Test func `the table of routes is the one that was decided`() {
        let expected: [AccessLevel: [String]] = [
            .none: [
                "DELETE /v1/session", "GET /health/live", "GET /health/ready", "POST /v1/session",
            ],
            .look: [
                "GET /metrics", "GET /openapi.json", "GET /v1/automations", "GET /v1/automations/preview",
                "GET /v1/away",
                "GET /v1/bindings", "GET /v1/bridges", "GET /v1/curves", "GET /v1/dashboard", "GET /v1/events",
                "GET /v1/followings", "GET /v1/lights", "GET /v1/names", "GET /v1/page", "GET /v1/page/automations",
                "GET /v1/page/events",
                "GET /v1/page/sensors",
                "GET /v1/rooms", "GET /v1/scene", "GET /v1/scenes", "GET /v1/sensors", "GET /v1/session",
                "GET /v1/status", "GET /v1/sun", "GET /v1/timers", "PUT /v1/session",
            ],
            .readOnly: ["GET /v1/log", "GET /v1/page/command", "GET /v1/page/log"],
            .control: ["POST /v1/messages"],
            .full: [
                "DELETE /v1/sessions", "GET /v1/access-log", "GET /v1/automations/forms", "GET /v1/diagnosis",
                "GET /v1/sessions", "POST /v1/automations/forms", "POST /v1/automations/simulation", "POST /v1/links",
                "PUT /v1/automations", "PUT /v1/sessions",
            ],
            .owner: [],
            .local: [
                "DELETE /v1/tokens", "GET /v1/backup", "GET /v1/tokens", "POST /v1/tokens", "PUT /v1/backup",
            ],
        ]
        let routes = Dictionary(grouping: ControlAPI.routes, by: \.access)
            .mapValues { $0.map { "\($0.method) \($0.path)" }.sorted() }
        for level in AccessLevel.allCases { #expect(routes[level] ?? [] == expected[level], "\(level)") }
    }

    @Test(arguments: TokenAccess.allCases)
    func `a token may use exactly the routes that its role allows`(role: TokenAccess) async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let token = try await server.create(TokenRequest(name: "guest", access: role))
            let headers = ["Authorization": "Bearer \(token)"]
            for route in ControlAPI.routes {
                let client = try ClientFixture(.port(try #require(server.port)))
                let isStream = [Routes.events, Routes.pageEvents].contains(route.path)
                let status =
                    isStream
                    ? try await client.open(route.path, headers).status
                    : try await server.status(route.method.rawValue, route.path, token: token)
                #expect(
                    (status == 403) == (AccessLevel(role) < route.access), "\(role) \(route.method) \(route.path)")
            }
        }
    }

    @Test func `the description names the role that each operation needs`() throws {
        let json = try JSONSerialization.jsonObject(with: Data(try OpenAPI.document.utf8))
        let paths = try #require((json as? [String: Any])?["paths"] as? [String: [String: [String: Any]]])
        for route in ControlAPI.routes {
            let operation = try #require(paths[route.path]?[route.method.rawValue.lowercased()])
            let security = try #require(operation["security"] as? [[String: [String]]])
            switch route.access {
            case .none: #expect(security.isEmpty)
            case .look, .readOnly, .control, .full:
                #expect(security == [[:], ["token": [try #require(route.access.role).rawValue]]])
            default: #expect(security == [[:]])
            }
        }
    }

    @Test(
        arguments: [
            (#"{"command":"toggle","target":"desk"}"#, 200),
            (#"{"command":"schedule","after":60,"do":["turn off desk","wait 5m"]}"#, 200),
            (#"{"command":"rename","target":"desk","name":"Mine"}"#, 403),
            // A timer does no more than who has made it may do.
            (#"{"command":"schedule","after":60,"do":["rename desk Mine"]}"#, 403),
            (#"{"command":"forget","bridge":"b"}"#, 403), (#"{"command":"prune","days":0}"#, 403),
            (#"{"command":"discover"}"#, 403), (#"{"command":"pin","target":"desk"}"#, 403),
        ])
    func `control uses the home and does not arrange it`(body: String, status: Int) async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack, tcp: Self.tcp) { server in
            let token = try await server.create(TokenRequest(name: "guest", access: .control))
            let answer = try await server.ask("POST", Routes.messages, token: token, body: body)
            #expect(answer.status == status)
            guard status == 403 else { return }
            #expect(try answer.error.code == .notAllowed)
            #expect(try answer.error.message == "this needs the role 'full', but this token has 'control'")
            #expect(try answer.error.hint?.contains("--role full") == true)
        }
    }

    @Test func `what names more than a home can mean is refused before any of it is read`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let token = try await server.create(TokenRequest(name: "guest", access: .control))
            let steps = Array(repeating: #""rename desk Mine""#, count: 101).joined(separator: ",")
            let body = #"{"command":"schedule","after":60,"do":[\#(steps)]}"#
            let answer = try await server.ask("POST", Routes.messages, token: token, body: body)
            #expect(answer.status == 400)
            #expect(try answer.error.message == "'do' has more than 100 entries")
            let lights = (0...5000).map { #"{"id":"x\#($0)"}"# }.joined(separator: ",")
            let many = #"{"command":"apply","lights":[\#(lights)]}"#
            let refused = try await server.ask("POST", Routes.messages, token: token, body: many)
            #expect(try refused.status == 400 && refused.error.message == "'lights' has more than 5000 entries")
        }
    }

    // MARK: Ends

    @Test func `a token works until its end, and its streams end with it`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let end = server.clock.now.advanced(by: .seconds(3600))
            let token = try await server.create(TokenRequest(name: "guest", access: .look, ends: end.iso8601))
            #expect(try await server.get(Routes.tokens, as: [TokenBody].self).map(\.ends) == [end.iso8601])
            let reader = try ClientFixture(.port(try #require(server.port)))
            #expect(try await reader.open(Routes.events, ["Authorization": "Bearer \(token)"]).status == 200)
            _ = try await reader.event()
            await server.clock.set(to: end.advanced(by: .milliseconds(-1)))
            #expect(try await server.status("GET", Routes.lights, token: token) == 200)
            await server.clock.set(to: end)
            // The comment that keeps the stream alive is not sent any more.
            await server.clock.advance(by: ControlAPI.keepAlive)
            #expect(try await reader.event() == nil)
            #expect(try await server.status("GET", Routes.lights, token: token) == 401)
            #expect(try await server.get(Routes.tokens, as: [TokenBody].self).isEmpty)
            #expect(server.tokens.tokens.isEmpty)
        }
    }

    @Test(arguments: ["soon", "2026-12-24", "2001-01-01T00:00:00Z"])
    func `an end that is no moment to come is refused`(end: String) async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            for (path, body) in [
                (Routes.tokens, #"{"name":"guest","ends":"\#(end)"}"#), (Routes.links, #"{"ends":"\#(end)"}"#),
            ] {
                let answer = try await ClientFixture.ask(server.address, "POST", path, body: body)
                #expect(try answer.status == 400 && answer.error.message.contains("'ends'"))
            }
            #expect(server.tokens.tokens.isEmpty)
        }
    }

    @Test func `what is signed in by a token ends with it at the latest, and a link may say earlier`() async throws {
        let (archive, clock) = (MemoryTokenArchive(), ManualClock(at: Timestamp.sample.milliseconds))
        let all = AccessTokens(configured: nil, saved: [], archive: archive.archive, now: { clock.now })
        let (early, late) = (clock.now.advanced(by: .seconds(60)), clock.now.advanced(by: .seconds(120)))
        let secret = try await all.create(TokenRequest(name: "maker", ends: late.iso8601)).token
        let maker = try #require(all.grant(for: secret))
        for (asked, end) in [(nil, late), (early, early), (late.advanced(by: .seconds(9)), late)] {
            #expect(try await all.signIn(.link(.look, by: maker, end: asked), as: "page").grant.end == end)
        }
        #expect(try await all.signIn(.token(maker), as: "page").grant.end == late)
        #expect(try await all.signIn(.link(.look, by: nil, end: early), as: "page").grant.end == early)
        #expect(try await all.signIn(.link(.look, by: nil, end: nil), as: "last").grant.end == nil)
        await clock.set(to: late)
        #expect(all.list.map(\.name) == ["last"])
    }

    @Test func `an end is kept over a restart, and counts at the start`() async throws {
        let (archive, clock) = (MemoryTokenArchive(), ManualClock(at: Timestamp.sample.milliseconds))
        func start() -> AccessTokens {
            AccessTokens(configured: nil, saved: archive.tokens, archive: archive.archive, now: { clock.now })
        }
        let end = clock.now.advanced(by: .seconds(60))
        let secret = try await start().create(TokenRequest(name: "guest", ends: end.iso8601)).token
        #expect(start().grant(for: secret)?.end == end)
        await clock.set(to: end)
        #expect(start().list.isEmpty && archive.tokens.isEmpty)
    }
}
