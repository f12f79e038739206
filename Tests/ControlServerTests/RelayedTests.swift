import ControlProtocol
import ControlSurface
import Foundation
import HTTPTypes
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import ControlServer

/// Requests that another surface brings, without a connection.
@Suite struct RelayedTests {
    @Test func `what is only read is answered as over the socket, byte for byte`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            // But for what is counted while it is asked.
            let paths = ControlAPI.routes.filter {
                $0.method == .get && $0.access <= .full && !$0.isDirect && $0.path != Routes.metrics
            }
            .map(\.path)
            #expect(paths.count > 20)
            for path in paths + ["\(Routes.lights)?target=desk", "\(Routes.lights)?target=nobody", "/v1/nothing"] {
                let socket = try await ClientFixture.ask(server.address, "GET", path)
                let relayed = await server.server.answer(
                    RelayedRequest(method: "GET", path: path), allowing: .full, as: nil)
                #expect(relayed.status == socket.status, "\(path)")
                #expect(relayed.fields["content-type"] == socket.headers["content-type"], "\(path)")
                #expect(Data(relayed.body) == socket.body, "\(path)")
            }
        }
    }

    @Test(arguments: TokenAccess.allCases)
    func `whoever asks may use exactly the routes of the role that is allowed`(role: TokenAccess) async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            for route in ControlAPI.routes where !route.isDirect {
                let answer = await server.server.answer(
                    RelayedRequest(method: route.method.rawValue, path: route.path), allowing: role, as: nil)
                let isRefused = answer.status == 403
                #expect(isRefused == (route.access > AccessLevel(role)), "\(route.method) \(route.path)")
                guard isRefused, let needed = route.access.role else { continue }
                let error = try JSONDecoder().decode(ErrorReply.self, from: Data(answer.body)).error
                #expect(error == ErrorReply.notAllowedOverMQTT(needed).error)
            }
        }
    }

    @Test func `a command names who sent it, and needs its own role`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            func send(_ json: String, _ role: TokenAccess) async -> RelayedAnswer {
                await server.server.answer(
                    RelayedRequest(properties: [:], payload: Array(json.utf8)), allowing: role,
                    as: ClientName("node\"-red\n"))
            }
            let rename = #"{"command":"rename","target":"desk","name":"Table"}"#
            #expect(await send(rename, .control).status == 403)
            #expect(await send(#"{"command":"turn","to":"off","target":"desk"}"#, .look).status == 403)
            let done = await send(#"{"command":"turn","to":"off","target":"desk"}"#, .control)
            #expect(done.status == 200, "\(String(decoding: done.body, as: UTF8.self))")
            let lights: [LightBody] = try await ClientFixture.ask(server.address, "GET", "\(Routes.lights)?target=desk")
                .decoded()
            #expect(lights.map(\.cause.by) == [#"mqtt as "node-red""#])
            #expect(await send(rename, .full).status == 200)
        }
    }

    @Test func `what only a connection can carry is refused, and said`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let stream = ["accept": "text/event-stream"]
            for (method, path, fields) in [
                ("GET", Routes.events, [:]), ("GET", Routes.pageEvents, [:]), ("POST", Routes.session, [:]),
                ("GET", Routes.session, [:]), ("POST", Routes.links, [:]), ("GET", Routes.log, stream),
                ("GET", Routes.events + "?x=1", [:]),
            ] as [(String, String, [String: String])] {
                let answer = await server.server.answer(
                    RelayedRequest(method: method, path: path, fields: fields), allowing: .full, as: nil)
                #expect(answer.status == 400, "\(path)")
                #expect(String(decoding: answer.body, as: UTF8.self).contains("over MQTT"), "\(path)")
            }
        }
    }

    @Test func `whatever is sent is answered, with an error of the API if it is no request`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let methods = ["", "GET", "get", "P UT", "GÉT", "\u{0}", "DELETE", String(repeating: "X", count: 100_000)]
            let paths = [
                "", "/", "//", "v1/lights", "/v1/lights/", "/v1/lights?", "/v1/lights?target=%zz", "/v1/../v1/lights",
                "/v1/lights\r\nHost: x", "/\u{D4E}", "/v1/lights#x", "http://a/v1/lights", "/v1/messages", "*",
                "/" + String(repeating: "a", count: 100_000), "/%00", "/v1/lights?target=\u{0}",
            ]
            let bodies: [[UInt8]] = [
                [], [0xFF, 0xFE], Array("{".utf8), Array(repeating: UInt8(ascii: "["), count: 100_000),
                Array(repeating: 0x20, count: RelayedRequest.longestBody + 1),
            ]
            for method in methods {
                for path in paths {
                    for body in bodies {
                        let answer = await server.server.answer(
                            RelayedRequest(method: method, path: path, body: body), allowing: .full, as: nil)
                        #expect((200..<600).contains(answer.status))
                        guard answer.status >= 400 else { continue }
                        #expect(throws: Never.self) {
                            try JSONDecoder().decode(ErrorReply.self, from: Data(answer.body))
                        }
                    }
                }
            }
        }
    }

    @Test func `a message's properties and a request say the same`() {
        let request = RelayedRequest(
            method: "PUT", path: "/v1/automations?keep=true", fields: ["content-type": "application/yaml"], body: [1])
        let properties = Dictionary(uniqueKeysWithValues: request.properties.map { ($0.name, $0.value) })
        #expect(RelayedRequest(properties: properties, payload: [1]) == request)
        let answer = RelayedAnswer(status: 404, fields: ["content-type": "application/json"], body: [2])
        #expect(
            RelayedAnswer(
                properties: Dictionary(uniqueKeysWithValues: answer.properties.map { ($0.name, $0.value) }),
                payload: [2]) == answer)
        // Without properties, as MQTT 3.1.1 has none, the payload is a command.
        #expect(RelayedRequest(properties: [:], payload: [1]).method == "POST")
        #expect(RelayedRequest(properties: [:], payload: [1]).path == Routes.messages)
        #expect(RelayedRequest(properties: ["path": "/v1/lights"], payload: []).method == "GET")
        #expect(RelayedRequest(properties: ["x-lightd-client": "root"], payload: []).fields.isEmpty)
        for status in ["yes", "", "0", "199", "600", "1000", "-200", "99999999999999999999"] {
            #expect(RelayedAnswer(properties: ["status": status], payload: []) == nil)
        }
        // Others are not the answering site's to set.
        let lies = ["status": "200", "content-length": "5", "set-cookie": "a=b", "connection": "close"]
        #expect(RelayedAnswer(properties: lies, payload: [])?.fields == [:])
    }
}
