import ControlProtocol
import ControlSurface
import Foundation
import HTTPTypes
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import ControlServer

@Suite struct MetricsTests {
    private static let tcp = ControlServerSettings.TCP(host: "127.0.0.1", port: 0)

    @Test(
        arguments: [
            // Prometheus 2.42, 2.53 and 3.5, as they scrape.
            (
                "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
                MetricsFormat.openMetrics
            ),
            (
                "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
                .openMetrics
            ),
            (
                "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
                .openMetrics
            ),
            // One that is told to ask for the text.
            ("text/plain;version=0.0.4;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1", .prometheus),
            ("application/openmetrics-text", .openMetrics),
            ("Application/OpenMetrics-Text; Version=1.0.0; charset=utf-8", .openMetrics),
            ("application/openmetrics-text;version=0.0.1", .prometheus),
            ("application/openmetrics-text;q=0", .prometheus),
            ("application/openmetrics-text;q=nonsense", .prometheus),
            ("*/*", .prometheus), ("text/html, */*", .prometheus), ("application/json", .prometheus), ("", .prometheus),
            (";;,;q=,,q", .prometheus),
        ])
    func `the format is the one that the client prefers, and the text for everybody else`(
        accept: String, format: MetricsFormat
    ) {
        var head = HTTPRequest(method: .get, scheme: nil, authority: "lightd", path: Routes.metrics)
        head.headerFields[.accept] = accept
        #expect(head.metricsFormat == format)
    }

    @Test func `the answer says which format it has, and is kept by nobody`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let text = try await server.get(Routes.metrics)
            #expect(text.status == 200 && text.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(text.headers["cache-control"] == "no-store" && text.headers["vary"] == "Accept")
            let open = try await server.get(
                Routes.metrics, ["Accept": "application/openmetrics-text;version=1.0.0,text/plain;q=0.5"])
            #expect(
                open.headers["content-type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8")
            let reads = try [text, open].map { try MetricsReader(String(decoding: $0.body, as: UTF8.self)) }
            #expect(!reads[0].hasEnd && reads[1].hasEnd)
            #expect(reads[0].value("lightd_build_info", ["version": "1.2.3"]) == 1)
            #expect(reads[0]["lightd_light_on"].count == HomeFixture.lights.count)
            #expect(try await ClientFixture.ask(server.address, "POST", Routes.metrics, [:], body: "x").status == 405)
            #expect(try await server.get(Routes.metrics + "?target=desk").status == 400)
        }
    }

    @Test func `over TCP it takes a token, of whatever role, and a guess is refused`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            #expect(try await server.status("GET", Routes.metrics, token: nil) == 401)
            #expect(try await server.status("GET", Routes.metrics, token: "guess") == 401)
            for role in TokenAccess.allCases {
                let token = try await server.create(TokenRequest(name: "\(role)", access: role))
                #expect(try await server.status("GET", Routes.metrics, token: token) == 200, "\(role)")
            }
            _ = try await server.revoke("look")
        }
    }

    @Test func `a command is counted when its client has the answer`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            func count() async throws -> Double? {
                try MetricsReader(String(decoding: await server.get(Routes.metrics).body, as: UTF8.self))
                    .value("lightd_commands_total", ["source": "api", "result": "succeeded"])
            }
            for number in 0..<20 {
                #expect(try await count() == Double(number))
                _ = try await server.send(.toggle(target: "desk"))
            }
        }
    }

    @Test func `it waits for no bridge: that one is away is what it is to tell`() async throws {
        let away = Bridge.make(connection: .lost(since: .sample, because: .notReachedYet(.sample)))
        let state = AppState.make(lights: HomeFixture.lights, bridges: [away])
        try await ServerFixture.run(in: state, connects: false) { server in
            let read = try MetricsReader(String(decoding: await server.get(Routes.metrics).body, as: UTF8.self))
            #expect(read.value("lightd_bridge_connected", ["bridge": Bridge.ID.sample.description]) == 0)
        }
    }
}
