import Curl
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// New lamps, found by a search.
    @Suite struct NewcomerTests {
        @Test func `a new lamp is found by a search of either API, told of, and can be used`() async throws {
            try await withBridge {
                $0.timeScale = 200
                $0.quirks = [.lightsPerSecond(100)]
            } _: { site in
                let key = try await site.pair()
                var ear = try await site.listen(key: key)
                let before = await site.controls.home.lamps.count
                let answer = try await site.control(.post, "/lights", #"{"name":"Porch","kind":"color"}"#)
                #expect(answer.status == 202)
                #expect(await site.controls.home.lamps.count == before, "nobody has searched")
                _ = try await site.ask(.post, "/api/\(key)/lights")
                var told: [JSONValue] = []
                while !told.contains(where: { $0["type"] == "light" }) { told += try await ear.news() }
                let porch = try await site.lamp("Porch")
                #expect(told.contains { $0["id"] == .id(porch.id) && $0["metadata"]?["name"] == "Porch" })
                #expect(told.contains { $0["id"] == .id(porch.ids.device) })
                let found = try await site.ask(.get, "/api/\(key)/lights/new").json
                #expect(found["\(porch.number)"] == ["name": "Porch"])
                let put = try await site.put("light", porch.id, #"{"dimming":{"brightness":50}}"#, key: key)
                #expect(put.status == 200)
                let documents = await site.controls.home.documents
                #expect(
                    documents.first { $0["type"] == "bridge_home" }?["children"]?.array?.contains(
                        .reference(porch.ids.device, .device)) == true)
            }
        }

        @Test func `a bridge that is full finds nobody`() async throws {
            try await withBridge {
                $0.timeScale = 1000
                $0.quirks = [.mostLights(6)]
            } _: { site in
                let key = try await site.pair()
                for name in ["One", "Two"] {
                    try await site.control(.post, "/lights", #"{"name":"\#(name)","kind":"plug"}"#)
                }
                _ = try await site.ask(.post, "/api/\(key)/lights")
                try await until("the search is over") {
                    let scan = try? await site.ask(.get, "/api/\(key)/lights/new").json["lastscan"]?.string
                    return scan != nil && scan != "active"
                }
                #expect(await site.controls.home.lamps.map(\.name).suffix(1) == ["One"])
                #expect(await site.controls.home.lamps.count == 6)
            }
        }

        @Test(arguments: [
            ("{}", 400), (#"{"name":"X"}"#, 400), (#"{"name":"X","kind":"torch"}"#, 400),
            (#"{"name":"","kind":"plug"}"#, 400), (#"{"name":"desk","kind":"plug"}"#, 409),
        ]) func `what is no new lamp is refused`(body: String, status: Int) async throws {
            try await withBridge { site in
                let answer = try await site.control(.post, "/lights", body)
                #expect(answer.status == status)
            }
        }
    }
}
