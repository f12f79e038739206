import Curl
import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// API v1 on the wire.
    @Suite struct V1WireTests {
        @Test func `both ports serve API v1, with or without a slash at the end, and without a content type`()
            async throws
        {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                let one = try await fixture.sendPlainly(.get, "/api/\(key)/lights")
                let other = try await fixture.send(.get, "/api/\(key)/lights/")
                #expect(one.status == 200 && one.text == other.text)
                #expect(one.head["content-type"] == "application/json")
                // Sent without a content type, as phue does.
                let response = try await fixture.sendPlainly(
                    .put, "/api/\(key)/lights/1/state", body: #"{"bri":9,"on":true}"#)
                #expect(
                    response.text
                        == V1Text.all(
                            V1Text.success("/lights/1/state/bri", "9"), V1Text.success("/lights/1/state/on", "true")))
                let whole = try await fixture.sendPlainly(.get, "/api/\(key)/")
                #expect(try whole.json["lights"]?["1"]?["state"]?["bri"] == 9)
                let encoded = key.utf8.map { "%" + String($0, radix: 16) }.joined()
                #expect(
                    try await fixture.sendPlainly(.get, "/api/\(encoded)/groups/0").json["lights"]?.array?.count == 5)
            }
        }

        @Test func `a change by API v1 becomes an event, and a change by API v2 shows in v1`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                let lamp = try await fixture.lamp("Stove")
                var listener = try await fixture.listen(key: key)
                _ = try await listener.greeting()
                _ = try await fixture.sendPlainly(.put, "/api/\(key)/lights/1/state", body: #"{"ct":400,"bri":128}"#)
                let news = try await listener.news()
                let light = try #require(news.first { $0["id"] == .id(lamp.id) })
                #expect(light["color_temperature"]?["mirek"] == 400)
                #expect(light["dimming"]?["brightness"]?.double == Level.percent(bri: 128))
                _ = try await fixture.put("light", lamp.id, #"{"dimming":{"brightness":100}}"#, key: key)
                let state = try await fixture.sendPlainly(.get, "/api/\(key)/lights/1").json["state"]
                #expect(state?["bri"] == 254)
            }
        }

        @Test func `a group and a scene created by API v1 become events`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                _ = try await listener.greeting()
                _ = try await fixture.sendPlainly(
                    .post, "/api/\(key)/groups", body: #"{"name":"Both","type":"Zone","lights":["1","2"]}"#)
                #expect(
                    try await listener.news().contains { $0["type"] == "zone" && $0["metadata"]?["name"] == "Both" })
                _ = try await fixture.sendPlainly(
                    .post, "/api/\(key)/scenes", body: #"{"name":"Now","type":"GroupScene","group":"4"}"#)
                #expect(
                    try await listener.news().contains { $0["type"] == "scene" && $0["metadata"]?["name"] == "Now" })
            }
        }

        @Test(arguments: [(BridgeModel.round, 200), (.square, 429), (.deconz, 503)] as [(BridgeModel, Int)])
        func `each model refuses too many commands in its own way`(model: BridgeModel, status: Int) async throws {
            try await withBridge(
                .flat,
                {
                    $0.model = model; $0.quirks = [.groupsPerSecond(1), .noButton]
                }
            ) { fixture in
                let pairing = try await fixture.sendPlainly(.post, "/api", body: #"{"devicetype":"test"}"#)
                let key = try #require(try pairing.pairing.success?.username)
                let path = "/api/\(key)/groups/0/action"
                #expect(try await fixture.sendPlainly(.put, path, body: #"{"on":true}"#).status == 200)
                let second = try await fixture.sendPlainly(.put, path, body: #"{"on":true}"#)
                #expect(second.status == status)
                if model == .square {
                    #expect(second.isPage)
                } else {
                    #expect(second.text == V1Text.all(V1Text.error(901, "/groups/0/action", "Internal error, 503")))
                }
                // Reading does not count.
                #expect(try await fixture.sendPlainly(.get, "/api/\(key)/groups/0").status == 200)
            }
        }

        @Test func `the UPnP description is served over plain HTTP only`() async throws {
            try await withBridge { fixture in
                let response = try await fixture.sendPlainly(.get, "/description.xml")
                #expect(response.status == 200 && response.head["content-type"] == "text/xml")
                #expect(response.text.contains("http://\(fixture.ready.host):\(fixture.ready.httpPort)/"))
                #expect(try await fixture.send(.get, "/description.xml").status == 404)
            }
        }

        @Test func `the whitelist shows when a key was used last`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair("test#one")
                _ = try await fixture.sendPlainly(.get, "/api/\(key)/lights")
                let entry = try await fixture.sendPlainly(.get, "/api/\(key)/config").json["whitelist"]?[key]
                #expect(entry?["name"] == "test#one")
                #expect(entry?["last use date"]?.string?.count == 19)
            }
        }
    }
}
