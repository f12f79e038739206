import Curl
import Foundation
import HueWire
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// API v2 on the wire.
    @Suite struct ResourceTests {
        @Test func `all resources, those of a type, or a single one can be read`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                let documents = try await fixture.controls.home.documents.asRead
                let all = try await fixture.send(.get, "/clip/v2/resource", key: key)
                #expect(all.head.version == "2")
                #expect(try all.envelope.data == documents)
                let lights = try await fixture.send(.get, "/clip/v2/resource/light", key: key)
                #expect(try lights.envelope.data == documents.filter { $0["type"] == "light" })
                let desk = try await fixture.lamp("Desk")
                let one = try await fixture.send(.get, "/clip/v2/resource/light/\(desk.id)", key: key)
                #expect(try one.envelope.data == documents.filter { $0["id"] == .id(desk.id) })
                let some = try await fixture.send(.get, "/clip/v2/resource?type=light,scene", key: key)
                #expect(try Set(some.envelope.data.map { $0["type"] }) == ["light", "scene"])
            }
        }

        @Test func `a type without resources is an empty list, an unknown type is 404`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                let none = try await fixture.send(.get, "/clip/v2/resource/motion", key: key)
                #expect(none.status == 200)
                #expect(try none.envelope.data.isEmpty)
                let desk = try await fixture.lamp("Desk")
                let missing = [
                    "/clip/v2/resource/nonsense", "/clip/v2/resource/light/00000000-0000-4000-8000-000000000000",
                    "/clip/v2/resource/room/\(desk.id)", "/clip/v2/resource/nonsense/\(desk.id)",
                ]
                for path in missing {
                    let response = try await fixture.send(.get, path, key: key)
                    #expect(response.status == 404, "\(path)")
                    #expect(try response.envelope.errors.map(\.description) == ["Not Found"], "\(path)")
                }
                for path in [
                    "/nowhere", "/clip/v1/resource", "/clip/v2", "/eventstream", "/clip/v2/resource/light/a/b",
                ] {
                    let response = try await fixture.send(.get, path, key: key)
                    #expect(response.status == 404 && response.isPage, "\(path)")
                }
                // v2 is served over TLS only.
                #expect(try await fixture.sendPlainly(.get, "/clip/v2/resource").status == 404)
            }
        }

        /// python-hue-v2 and openHAB fail otherwise.
        @Test func `every JSON answer has both lists, and exactly application/json as its type`() async throws {
            try await withBridge {
                $0.quirks = [.unlimited]
            } _: { fixture in
                let key = try await fixture.pair()
                let (desk, fan) = (try await fixture.lamp("Desk"), try await fixture.lamp("Fan"))
                let answers = [
                    (200, try await fixture.send(.get, "/clip/v2/resource", key: key)),
                    (200, try await fixture.put("light", desk.id, #"{"on":{"on":true}}"#, key: key)),
                    (207, try await fixture.put("light", fan.id, #"{"dimming":{"brightness":5}}"#, key: key)),
                    (400, try await fixture.put("light", fan.id, #"{"dimming":{"brightness":500}}"#, key: key)),
                    (400, try await fixture.put("light", fan.id, "no JSON", key: key)),
                    (404, try await fixture.put("light", "nobody", "{}", key: key)),
                    (405, try await fixture.send(.delete, "/clip/v2/resource/light/\(desk.id)", key: key)),
                    (405, try await fixture.send(.put, "/clip/v2/resource/light", key: key, body: "{}")),
                    (405, try await fixture.send(.post, "/clip/v2/resource/light", key: key, body: "{}")),
                ]
                for (status, response) in answers {
                    #expect(response.status == status)
                    #expect(response.head["content-type"] == "application/json", "\(status)")
                    #expect(try response.json.object?.keys.sorted() == ["data", "errors"], "\(status)")
                    let envelope = try response.envelope
                    #expect(envelope.errors.isEmpty == (status == 200))
                    #expect(envelope.data.isEmpty == (status >= 400))
                }
            }
        }

        @Test func `a write is seen by the next read`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                let desk = try await fixture.lamp("Desk")
                let body = #"{"on":{"on":true},"dimming":{"brightness":50},"color_temperature":{"mirek":300}}"#
                let response = try await fixture.put("light", desk.id, body, key: key)
                #expect(try response.envelope.data == [.reference(desk.id, .light)])
                let light = try #require(
                    try await fixture.send(.get, "/clip/v2/resource/light/\(desk.id)", key: key).envelope.data.first)
                #expect(light["on"]?["on"] == true)
                #expect(light["dimming"]?["brightness"]?.double == 49.8)
                #expect(light["color_temperature"]?["mirek"] == 300)
            }
        }

        @Test func `clients choose HTTP/2 or 1.1, and the quirk http1 leaves 1.1 only`() async throws {
            try await withBridge { fixture in
                let response = try await fixture.send(.get, "/api/config")
                #expect(response.head.version == "2")
                var old = fixture.request(.get, "/api/config")
                old.version = .http1
                #expect(try await fixture.client.send(old).head.version == "1.1")
                #expect(try await fixture.sendPlainly(.get, "/api/config").head.version == "1.1")
            }
            try await withBridge {
                $0.quirks = [.http1]
            } _: { fixture in
                let response = try await fixture.send(.get, "/api/config")
                #expect(response.head.version == "1.1")
            }
        }

        @Test func `a body of more than a megabyte is refused, and the bridge keeps running`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                let desk = try await fixture.lamp("Desk")
                let body = String(repeating: " ", count: 1 << 21) + #"{"on":{"on":true}}"#
                #expect(try await fixture.put("light", desk.id, body, key: key).status == 413)
                #expect(try await fixture.lamp("Desk") == desk)
                #expect(try await fixture.send(.get, "/api/config").status == 200)
            }
        }
    }
}
