import ControlProtocol
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

    @Test func `the unix socket requires neither a token nor a host name`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let answer = try await server.get(Routes.lights, ["Host": "whatever"])
            #expect(answer.status == 200)
        }
    }

    @Test func `the journal says that a command came over TCP`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack, tcp: Self.tcp) { server in
            let headers = Self.good.merging([Routes.clientHeader: "panel"]) { $1 }
            let body = #"{"command":"toggle","target":"desk"}"#
            let port = try #require(server.port)
            #expect(
                try await ClientFixture.ask(.port(port), "POST", Routes.messages, headers, body: body).status == 200)
            #expect(server.home.journal.entries[0].message.ticket.holder == "panel over TCP")
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

    @Test func `an empty token is never accepted`() {
        let settings = ControlServerSettings.TCP(host: "127.0.0.1", port: 1, token: "")
        #expect(!settings.accepts(authorization: "Bearer "))
        #expect(!settings.accepts(authorization: nil))
    }
}
