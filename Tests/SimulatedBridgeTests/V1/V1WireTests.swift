import Curl
import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// API v1 with real sockets.
    @Suite struct V1WireTests {
        @Test func `both ports serve it, with a slash at the end or not, and whatever the type of the content`()
            async throws
        {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                let one = try await fixture.sendPlainly(.get, "/api/\(key)/lights")
                let other = try await fixture.send(.get, "/api/\(key)/lights/")
                #expect(one.status == 200 && one.text == other.text)
                #expect(one.head["content-type"] == "application/json")
                // Sent without a type, as phue does, and with one that is no JSON's, as curl does.
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

        @Test func `the event stream tells of a change, and a change by API v2 is seen`() async throws {
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

        @Test func `a group and a scene that are made here are told on the stream`() async throws {
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
        func `too many commands are refused as the model refuses them`(model: BridgeModel, status: Int) async throws {
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
                // Reading costs nothing.
                #expect(try await fixture.sendPlainly(.get, "/api/\(key)/groups/0").status == 200)
            }
        }

        @Test func `a description is where SSDP points`() async throws {
            try await withBridge { fixture in
                let response = try await fixture.sendPlainly(.get, "/description.xml")
                #expect(response.status == 200 && response.head["content-type"] == "text/xml")
                #expect(response.text.contains("http://\(fixture.ready.host):\(fixture.ready.httpPort)/"))
                #expect(try await fixture.send(.get, "/description.xml").status == 404)
            }
        }

        @Test func `a key tells when it was used last`() async throws {
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
