import ControlProtocol
import ControlSurface
import Foundation
import Khipu
import Lighting
import LightingTestKit
import Testing

@testable import ControlServer

@Suite struct AccessTests {
    private static let tcp = ControlServerSettings.TCP(
        host: "127.0.0.1", port: 0, token: "sesame", names: ["lights.home"])

    private static let good = ["Authorization": "Bearer sesame"]

    @Test(
        arguments: [
            ("/v1/lights", good, 200), ("/v1/lights", [:], 401),
            ("/v1/lights", ["Authorization": "Bearer sesamE"], 401),
            ("/v1/lights", ["Authorization": "Bearer sesame!"], 401),
            ("/v1/lights", ["Authorization": "Basic sesame"], 401),
            ("/v1/lights", ["Authorization": "Bearer "], 401), ("/openapi.json", [:], 401), ("/nowhere", [:], 401),
            ("/nowhere", good, 404), ("/health/live", [:], 200), ("/health/ready", [:], 200),
            ("/health/live", ["Host": "evil.example"], 403),
            ("/v1/lights", good.merging(["Host": "evil.example"]) { $1 }, 403),
            ("/v1/lights", good.merging(["Host": "127.0.0.1.evil.example"]) { $1 }, 403),
            ("/v1/lights", good.merging(["Host": "localhost:80"]) { $1 }, 200),
            ("/v1/lights", good.merging(["Host": "lights.home:80"]) { $1 }, 200),
            ("/v1/lights", good.merging(["Host": "LIGHTS.HOME."]) { $1 }, 200),
            ("/v1/lights", good.merging(["Host": "127.1.2.3"]) { $1 }, 200),
            ("/v1/lights", good.merging(["Host": "[::1]:9"]) { $1 }, 200),
            ("/v1/lights", good.merging(["Origin": "https://lights.home"]) { $1 }, 200),
            ("/v1/lights", good.merging(["Origin": "http://localhost:3000"]) { $1 }, 200),
            ("/v1/lights", good.merging(["Origin": "https://evil.example"]) { $1 }, 403),
            ("/v1/lights", good.merging(["Origin": "null"]) { $1 }, 403),
            ("/v1/lights", good.merging(["Origin": "https://lights.home.evil.example"]) { $1 }, 403),
            ("/v1/lights", good.merging(["Origin": "https://lights.home@evil.example"]) { $1 }, 403),
            ("/v1/lights", good.merging(["Origin": "HTTPS://LIGHTS.HOME:8443"]) { $1 }, 200),
            ("/v1/lights", good.merging(["Origin": "http://[::1]:8377"]) { $1 }, 200),
            ("/v1/lights", good.merging(["Origin": "http://[::2]:8377"]) { $1 }, 403),
            ("/v1/lights", good.merging(["Origin": "file://"]) { $1 }, 403),
            ("/v1/lights", good.merging(["Origin": "http://lights.home, http://evil.example"]) { $1 }, 403),
            ("/v1/lights", good.merging(["Sec-Fetch-Site": "cross-site"]) { $1 }, 403),
            ("/v1/lights", good.merging(["Sec-Fetch-Site": "Same-Site"]) { $1 }, 403),
            ("/v1/lights", good.merging(["Sec-Fetch-Site": "same-origin"]) { $1 }, 200),
            ("/v1/lights", good.merging(["Sec-Fetch-Site": "none"]) { $1 }, 200),
            // A page on another port of a name that is allowed.
            (
                "/v1/lights",
                good.merging(["Origin": "http://lights.home:8123", "Sec-Fetch-Site": "same-site"]) { $1 }, 200
            ),
            // Not from a proxy of the configuration.
            ("/v1/lights", good.merging(["X-Forwarded-Host": "evil.example"]) { $1 }, 200),
            ("/health/live", ["Origin": "https://evil.example"], 403),
        ] as [(String, [String: String], Int)])
    func `a request over TCP needs the token, an allowed host and an allowed origin`(
        path: String, headers: [String: String], status: Int
    ) async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let answer = try await ClientFixture.ask(.port(try #require(server.port)), "GET", path, headers)
            #expect(answer.status == status)
            if status == 401 { #expect(answer.headers["www-authenticate"]?.hasPrefix("Bearer") == true) }
            if status >= 400, status != 404 { #expect(try answer.error.code == .notAllowed) }
        }
    }

    @Test(arguments: ["/", Routes.lights, Routes.live, Routes.tokens, "/nowhere", "/assets/0/app.js"])
    func `whatever a browser is answered, it makes nothing else of it`(path: String) async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let port = try #require(server.port)
            let requests = [[:], Self.good, ["Host": "evil.example"], ["Authorization": "Bearer guess"]]
            for headers in requests {
                let answer = try await ClientFixture.ask(.port(port), "GET", path, headers)
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["referrer-policy"] == "no-referrer")
                let policy = answer.headers["content-security-policy"]
                #expect(
                    policy?.contains("default-src 'none'") == true && policy?.contains("frame-ancestors 'none'") == true
                )
                if answer.status == 200, path == Routes.lights {
                    #expect(answer.headers["cache-control"]?.contains("private") == true)
                }
            }
        }
    }

    /// It stands in quotation marks: nobody can end them.
    @Test(
        arguments: [
            ("panel", "panel"), ("lightctl (uid 1000)", "lightctl (uid 1000)"), ("  a \u{A0}\u{2003} b ", "a b"),
            ("lightctl with token 'panel' over TCP", "lightctl with token panel over TCP"),
            ("page  wi\u{AD}th\u{A0}tok\u{200B}en 'x'", "page with token x"),
            ("a\u{202E}b\u{2066}c", "abc"), ("a\u{2028}b", "a b"),
            ("\u{200B}\u{2800}\u{FEFF}", nil), ("", nil), ("Küche 💡", "Küche 💡"),
            (String(repeating: "x", count: 100), String(repeating: "x", count: 64)),
            // No quotation mark of any script, as which a reader could take it.
            ("panel' with tоken 'x", "panel with tоken x"), ("“a” «b» ‘c’ `d´ 「e」 ʼf″", "a b c d e f"),
            ("Anna's phone", "Annas phone"), ("'\u{301}a", "a"),
            // A Character may be as long as it likes.
            ("a" + String(repeating: "\u{301}", count: 1000), "a" + String(repeating: "\u{301}", count: 63)),
            (String(repeating: "a ", count: 100_000), String(repeating: "a ", count: 31) + "a"),
            (String(repeating: "\u{200B}", count: 100_000) + "a", nil),
        ] as [(String, String?)])
    func `what a client calls itself is one short line that all can see, and ends no quotation marks`(
        given: String, name: String?
    ) {
        #expect(ClientName(given)?.text == name)
    }

    /// By method and path: without a token, with a read-only one, with a full one.
    @Test(arguments: [
        ("TRACE", "/v1/tokens", [401, 405, 405]), ("PATCH", "/v1/tokens", [401, 405, 405]),
        ("GET", "/v1/tokens", [401, 403, 403]), ("POST", "/v1/tokens", [401, 403, 403]),
        ("DELETE", "/v1/messages", [401, 405, 405]), ("POST", "/v1/lights", [401, 405, 405]),
        ("POST", "/health/live", [405, 405, 405]), ("PUT", "/nowhere", [401, 404, 404]),
    ])
    func `a method that a path does not have is refused before its access, but not to strangers`(
        method: String, path: String, statuses: [Int]
    ) async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let reader = try await server.create(TokenRequest(name: "reader", access: .readOnly))
            let port = try #require(server.port)
            for (headers, status) in zip([[:], ["Authorization": "Bearer \(reader)"], Self.good], statuses) {
                let answer = try await ClientFixture.ask(.port(port), method, path, headers)
                #expect(answer.status == status)
                #expect((answer.headers["allow"] != nil) == (status == 405))
            }
        }
    }

    @Test func `the unix socket requires neither a token nor a host name`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let answer = try await server.get(Routes.lights, ["Host": "whatever"])
            #expect(answer.status == 200)
        }
    }

    @Test(
        arguments: [
            (["Origin": "http://localhost"], 200), (["Host": "a", "Origin": "https://A"], 200),
            (["Origin": "https://evil.example"], 403), (["Origin": "null"], 403),
            (["Origin": "http://localhost:81"], 403),
            (["Sec-Fetch-Site": "cross-site"], 403), (["Sec-Fetch-Site": "same-origin"], 200),
        ] as [([String: String], Int)])
    func `a page from elsewhere does not get through a proxy to the unix socket`(
        headers: [String: String], status: Int
    ) async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            for path in [Routes.lights, Routes.live] {
                let answer = try await server.get(path, headers)
                #expect(answer.status == status)
            }
        }
    }

    @Test(
        arguments: [
            (["X-Forwarded-Host": "lights.home", "Origin": "https://lights.home"], 200),
            (["X-Forwarded-Host": "evil.example"], 403),
            (["X-Forwarded-Host": "evil.example, lights.home"], 403),
            (["X-Forwarded-Proto": "https", "Origin": "https://lights.home"], 200),
            (["X-Forwarded-Proto": "https", "Origin": "http://lights.home"], 403),
        ] as [([String: String], Int)])
    func `what a proxy says of host and scheme is checked`(headers: [String: String], status: Int) async throws {
        var tcp = Self.tcp
        tcp.proxies = [try #require(AddressRange("127.0.0.1"))]
        try await ServerFixture.run(in: HomeFixture.state, tcp: tcp) { server in
            let port = try #require(server.port)
            let headers = Self.good.merging(headers) { $1 }
            #expect(try await ClientFixture.ask(.port(port), "GET", Routes.lights, headers).status == status)
        }
    }

    @Test func `wrong tokens are slowed for their address, and for no other`() async throws {
        var tcp = Self.tcp
        tcp.proxies = [try #require(AddressRange("127.0.0.1"))]
        try await ServerFixture.run(in: HomeFixture.state, tcp: tcp) { server in
            let port = try #require(server.port)
            func status(_ token: String, from client: String) async throws -> Int {
                let headers = ["Authorization": "Bearer \(token)", "X-Forwarded-For": client]
                return try await ClientFixture.ask(.port(port), "GET", Routes.lights, headers).status
            }
            for _ in 0...FailedAttempts.free { #expect(try await status("guess", from: "203.0.113.7") == 401) }
            #expect(try await status("guess", from: "203.0.113.7") == 429)
            // Else the right guess would still be found.
            let headers = Self.good.merging(["X-Forwarded-For": "203.0.113.7"]) { $1 }
            let answer = try await ClientFixture.ask(.port(port), "GET", Routes.lights, headers)
            #expect(answer.status == 429 && answer.headers["retry-after"] == "1")
            #expect(try answer.error.code == .tooManyAttempts)
            let health = try await ClientFixture.ask(.port(port), "GET", Routes.live, headers)
            #expect(health.status == 200)
            #expect(try await status("sesame", from: "203.0.113.8") == 200)
            #expect(try await server.get(Routes.lights).status == 200)
            await server.clock.advance(by: .seconds(1))
            #expect(try await status("sesame", from: "203.0.113.7") == 200)
        }
    }

    @Test func `an address that waits is free after its minute also if the clock is set back`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let port = try #require(server.port)
            func status(_ token: String) async throws -> Int {
                try await ClientFixture.ask(.port(port), "GET", Routes.lights, ["Authorization": "Bearer \(token)"])
                    .status
            }
            for _ in 0...FailedAttempts.free { #expect(try await status("guess") == 401) }
            #expect(try await status("sesame") == 429)
            await server.clock.set(to: server.clock.now.advanced(by: .seconds(-86_400)))
            await server.clock.advance(by: .seconds(1))
            #expect(try await status("sesame") == 200)
        }
    }

    @Test func `the journal says who sent a command over TCP`() async throws {
        var tcp = Self.tcp
        tcp.proxies = [try #require(AddressRange("127.0.0.1"))]
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack, tcp: tcp) { server in
            let token = try await server.create(TokenRequest(name: "phone"))
            let port = try #require(server.port)
            let body = #"{"command":"toggle","target":"desk"}"#
            let headers = ["Authorization": "Bearer \(token)", "X-Forwarded-For": "203.0.113.7"]
            let answer = try await ClientFixture.ask(.port(port), "POST", Routes.messages, headers, body: body)
            #expect(answer.status == 200)
            let holder = server.home.journal.entries[0].message.ticket.holder
            #expect(holder == "a client with token 'phone' over TCP from 203.0.113.7")
        }
    }

    @Test func `the journal says that a command came over TCP`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack, tcp: Self.tcp) { server in
            let headers = Self.good.merging([Routes.clientHeader: "panel"]) { $1 }
            let body = #"{"command":"toggle","target":"desk"}"#
            let port = try #require(server.port)
            #expect(
                try await ClientFixture.ask(.port(port), "POST", Routes.messages, headers, body: body).status == 200)
            #expect(server.home.journal.entries[0].message.ticket.holder == "\"panel\" over TCP")
        }
    }

    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7:8080", true), ("0.0.0.0", "0.0.0.0", false), ("::", "[::]:80", false),
        ("fd00::7", "[fd00::7]:80", true),
        ("fd00::7", "fd00::7", false), ("192.0.2.7", "", false), ("192.0.2.7", "192.0.2.7:8a", false),
        ("192.0.2.7", "user@192.0.2.7", false), ("127.0.0.1", "128.0.0.1", false), ("127.0.0.1", "127.0.0.256", false),
        ("127.0.0.1", "[::1", false),
    ])
    func `lightd answers to its configured address, but not to a wildcard address`(
        host: String, authority: String, answers: Bool
    ) {
        let settings = ControlServerSettings.TCP(host: host, port: 1, token: "t")
        #expect(settings.answers(to: authority) == answers)
    }

    @Test func `an empty token is never accepted`() async throws {
        let tcp = ControlServerSettings.TCP(host: "127.0.0.1", port: 0, token: "")
        try await ServerFixture.run(in: HomeFixture.state, tcp: tcp) { server in
            let port = try #require(server.port)
            for value in ["Bearer ", "Bearer", "", "Bearer  "] {
                let headers = ["Authorization": value]
                #expect(try await ClientFixture.ask(.port(port), "GET", Routes.lights, headers).status == 401)
            }
        }
    }
}
