import Curl
import Foundation
import HueWire
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// API v2 on the wire.
    @Suite struct ResourceTests {
        @Test func `all, a type and one are read, and are what the home says`() async throws {
            try await withBridge { site in
                let key = try await site.pair()
                let documents = try await site.controls.home.documents.asRead
                let all = try await site.ask(.get, "/clip/v2/resource", key: key)
                #expect(all.head.version == "2")
                #expect(try all.envelope.data == documents)
                let lights = try await site.ask(.get, "/clip/v2/resource/light", key: key)
                #expect(try lights.envelope.data == documents.filter { $0["type"] == "light" })
                let desk = try await site.lamp("Desk")
                let one = try await site.ask(.get, "/clip/v2/resource/light/\(desk.id)", key: key)
                #expect(try one.envelope.data == documents.filter { $0["id"] == .id(desk.id) })
                let some = try await site.ask(.get, "/clip/v2/resource?type=light,scene", key: key)
                #expect(try Set(some.envelope.data.map { $0["type"] }) == ["light", "scene"])
            }
        }

        @Test func `a type of which the home has none is empty, one that no bridge has is not found`() async throws {
            try await withBridge { site in
                let key = try await site.pair()
                let none = try await site.ask(.get, "/clip/v2/resource/motion", key: key)
                #expect(none.status == 200)
                #expect(try none.envelope.data.isEmpty)
                let desk = try await site.lamp("Desk")
                let missing = [
                    "/clip/v2/resource/nonsense", "/clip/v2/resource/light/00000000-0000-4000-8000-000000000000",
                    "/clip/v2/resource/room/\(desk.id)", "/clip/v2/resource/nonsense/\(desk.id)",
                ]
                for path in missing {
                    let answer = try await site.ask(.get, path, key: key)
                    #expect(answer.status == 404, "\(path)")
                    #expect(try answer.envelope.errors.map(\.description) == ["Not Found"], "\(path)")
                }
                for path in [
                    "/nowhere", "/clip/v1/resource", "/clip/v2", "/eventstream", "/clip/v2/resource/light/a/b",
                ] {
                    let answer = try await site.ask(.get, path, key: key)
                    #expect(answer.status == 404 && answer.isPage, "\(path)")
                }
                // v2 is spoken over TLS alone.
                #expect(try await site.askPlainly(.get, "/clip/v2/resource").status == 404)
            }
        }

        /// python-hue-v2 and openHAB fail otherwise.
        @Test func `every JSON answer holds both lists, and is of exactly that type`() async throws {
            try await withBridge {
                $0.quirks = [.unlimited]
            } _: { site in
                let key = try await site.pair()
                let (desk, fan) = (try await site.lamp("Desk"), try await site.lamp("Fan"))
                let answers = [
                    (200, try await site.ask(.get, "/clip/v2/resource", key: key)),
                    (200, try await site.put("light", desk.id, #"{"on":{"on":true}}"#, key: key)),
                    (207, try await site.put("light", fan.id, #"{"dimming":{"brightness":5}}"#, key: key)),
                    (400, try await site.put("light", fan.id, #"{"dimming":{"brightness":500}}"#, key: key)),
                    (400, try await site.put("light", fan.id, "no JSON", key: key)),
                    (404, try await site.put("light", "nobody", "{}", key: key)),
                    (405, try await site.ask(.delete, "/clip/v2/resource/light/\(desk.id)", key: key)),
                    (405, try await site.ask(.put, "/clip/v2/resource/light", key: key, body: "{}")),
                    (405, try await site.ask(.post, "/clip/v2/resource/light", key: key, body: "{}")),
                ]
                for (status, answer) in answers {
                    #expect(answer.status == status)
                    #expect(answer.head["content-type"] == "application/json", "\(status)")
                    #expect(try answer.json.object?.keys.sorted() == ["data", "errors"], "\(status)")
                    let envelope = try answer.envelope
                    #expect(envelope.errors.isEmpty == (status == 200))
                    #expect(envelope.data.isEmpty == (status >= 400))
                }
            }
        }

        @Test func `a write is seen by the next read`() async throws {
            try await withBridge { site in
                let key = try await site.pair()
                let desk = try await site.lamp("Desk")
                let body = #"{"on":{"on":true},"dimming":{"brightness":50},"color_temperature":{"mirek":300}}"#
                let answer = try await site.put("light", desk.id, body, key: key)
                #expect(try answer.envelope.data == [.reference(desk.id, .light)])
                let light = try #require(
                    try await site.ask(.get, "/clip/v2/resource/light/\(desk.id)", key: key).envelope.data.first)
                #expect(light["on"]?["on"] == true)
                #expect(light["dimming"]?["brightness"]?.double == 49.8)
                #expect(light["color_temperature"]?["mirek"] == 300)
            }
        }

        @Test func `clients choose HTTP/2 or 1.1, and an emulator has the old one only`() async throws {
            try await withBridge { site in
                let answer = try await site.ask(.get, "/api/config")
                #expect(answer.head.version == "2")
                var old = site.request(.get, "/api/config")
                old.version = .http1
                #expect(try await site.client.send(old).head.version == "1.1")
                #expect(try await site.askPlainly(.get, "/api/config").head.version == "1.1")
            }
            try await withBridge {
                $0.quirks = [.http1]
            } _: { site in
                let answer = try await site.ask(.get, "/api/config")
                #expect(answer.head.version == "1.1")
            }
        }

        @Test func `a body of more than a megabyte is refused, and the bridge lives on`() async throws {
            try await withBridge { site in
                let key = try await site.pair()
                let desk = try await site.lamp("Desk")
                let body = String(repeating: " ", count: 1 << 21) + #"{"on":{"on":true}}"#
                #expect(try await site.put("light", desk.id, body, key: key).status == 413)
                #expect(try await site.lamp("Desk") == desk)
                #expect(try await site.ask(.get, "/api/config").status == 200)
            }
        }
    }
}
