import Curl
import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// A bridge's public configuration and its keys, on the wire.
    @Suite struct IdentificationTests {
        @Test func `a HEAD is answered without a body, and the connection stays open`() async throws {
            try await withBridge { fixture in
                let port = fixture.ready.httpPort
                let text =
                    "HEAD /description.xml HTTP/1.1\r\nHost: a\r\n\r\n"
                    + "GET /api/config HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                let response = try await onOwnThread { try RawSocket.send(text, port: port) }
                let parts = response.bytes.components(separatedBy: "\r\n\r\n")
                #expect(parts.count == 3)
                #expect(parts.dropFirst().first?.hasPrefix("HTTP/1.1 200") == true, "\(response.bytes)")
            }
        }

        @Test func `anyone can read the public configuration, over HTTP and HTTPS`() async throws {
            try await withBridge { fixture in
                for path in [
                    "/api/config", "/api/config/", "/api/0/config", "/api/nouser/config", "/api/any-key/config/",
                ] {
                    for response in [try await fixture.send(.get, path), try await fixture.sendPlainly(.get, path)] {
                        #expect(response.status == 200)
                        #expect(response.head["content-type"] == "application/json")
                        let config = try JSONDecoder().decode(PublicConfig.self, from: Data(response.body))
                        #expect(config.name == "Flat")
                        #expect(config.bridgeid == fixture.ready.bridgeID.uppercased())
                        #expect(config.modelid == "BSB002")
                        #expect(config.mac == BridgeID.mac(of: fixture.ready.bridgeID))
                        #expect(Int(try #require(config.swversion)).map { $0 >= PublicConfig.firstWithV2 } == true)
                        #expect(try response.json["whitelist"] == nil)
                    }
                }
            }
        }

        @Test func `a key is given only during the pairing window after a button press`() async throws {
            try await withBridge {
                $0.buttonWindow = .seconds(1)
            } _: { fixture in
                let body = #"{"devicetype":"test#one","generateclientkey":true}"#
                let before = try await fixture.send(.post, "/api", body: body).pairing
                #expect(before == PairingAnswer(error: V1Error(101, address: "", "link button not pressed")))
                try await fixture.control(.post, "/button")
                let success = try #require(try await fixture.send(.post, "/api", body: body).pairing.success)
                #expect(success.username.wholeMatch(of: /[A-Za-z0-9-]{40}/) != nil)
                #expect(try #require(success.clientkey).wholeMatch(of: /[0-9A-F]{32}/) != nil)
                #expect(try await fixture.send(.get, "/clip/v2/resource/bridge", key: success.username).status == 200)
                try await until("the window closes") {
                    try await fixture.send(.post, "/api", body: body).pairing.error?.type
                        == V1Error.linkButtonNotPressed
                }
            }
        }

        @Test func `pairing works over plain HTTP, and gives a client key only on request`() async throws {
            try await withBridge { fixture in
                await fixture.controls.pressButton()
                let response = try await fixture.sendPlainly(.post, "/api/", body: #"{"devicetype":"python_hue"}"#)
                let success = try #require(try response.pairing.success)
                #expect(success.clientkey == nil)
                #expect(try response.json.array?.first?["success"]?.object?.keys.sorted() == ["username"])
            }
        }

        @Test func `with the quirk no-button no button press is needed`() async throws {
            try await withBridge {
                $0.quirks = [.noButton]
            } _: { fixture in
                let response = try await fixture.send(.post, "/api", body: #"{"devicetype":"test#one"}"#)
                #expect(try response.pairing.success != nil)
            }
        }

        @Test func `errors of API v1 come with status 200 and their numbers`() async throws {
            try await withBridge { fixture in
                func error(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) async throws -> V1Error?
                {
                    let response = try await fixture.send(method, path, body: body)
                    #expect(response.status == 200)
                    #expect(response.head["content-type"] == "application/json")
                    return try response.pairing.error
                }
                #expect(try await error(.post, "/api", "{")?.type == 2)
                #expect(try await error(.post, "/api", #"{"name":"x"}"#)?.type == 5)
                #expect(try await error(.post, "/api", "[]")?.type == 5)
                #expect(
                    try await error(.post, "/api", #"{"devicetype":"\#(String(repeating: "x", count: 41))"}"#)?.type
                        == 7)
                #expect(
                    try await error(.get, "/api")
                        == V1Error(4, address: "/", "method, GET, not available for resource, /"))
                #expect(
                    try await error(.get, "/api/no-key/lights") == V1Error(1, address: "/lights", "unauthorized user"))
                let key = try await fixture.pair()
                #expect(try await error(.get, "/api/\(key)/nonsense")?.type == 3)
            }
        }

        @Test func `a key can delete another, and a deleted key is refused`() async throws {
            try await withBridge { fixture in
                let (one, other) = (try await fixture.pair("test#one"), try await fixture.pair("test#two"))
                #expect(one != other)
                let path = "/api/\(one)/config/whitelist/\(other)"
                let gone = try await fixture.send(.delete, path)
                #expect(try gone.json == [["success": .string("/config/whitelist/\(other) deleted.")]])
                #expect(try await fixture.send(.get, "/clip/v2/resource/bridge", key: other).status == 403)
                #expect(try await fixture.send(.get, "/clip/v2/resource/bridge", key: one).status == 200)
                #expect(try await fixture.send(.delete, path).pairing.error?.type == 3)
                #expect(
                    try await fixture.send(.delete, "/api/\(other)/config/whitelist/\(one)").pairing.error?.type == 1)
            }
        }

        @Test func `without a valid key every path of API v2 answers 403 with the bridge's page`() async throws {
            try await withBridge { fixture in
                for key in [nil, "", "stranger"] {
                    for path in [
                        "/clip/v2/resource", "/clip/v2/resource/light", "/auth/v1", "/clip/v2/resource/nonsense",
                    ] {
                        let response = try await fixture.send(.get, path, key: key)
                        #expect(response.status == 403 && response.isPage, "\(path)")
                    }
                    let lamp = try await fixture.lamp("Desk")
                    #expect(try await fixture.put("light", lamp.id, "{}", key: key ?? "").status == 403)
                    let listener = try await fixture.listen(key: key ?? "")
                    #expect(listener.head.status == 403)
                    #expect(listener.head["content-type"] == "text/html")
                }
            }
        }

        @Test func `a client can read its key's application id, which is not the key`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                let response = try await fixture.send(.get, "/auth/v1", key: key)
                #expect(response.status == 200)
                let id = try #require(response.head["hue-application-id"])
                #expect(id.wholeMatch(of: /[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}/) != nil)
            }
        }
    }
}
