import Curl
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// New lamps, found by a search.
    @Suite struct NewLampTests {
        @Test func `a search finds a new lamp and sends its events, and the lamp can be used`() async throws {
            try await withBridge {
                $0.timeScale = 200
                $0.quirks = [.lightsPerSecond(100)]
            } _: { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                let before = await fixture.controls.home.lamps.count
                let response = try await fixture.control(.post, "/lights", #"{"name":"Porch","kind":"color"}"#)
                #expect(response.status == 202)
                #expect(await fixture.controls.home.lamps.count == before, "no search has run yet")
                _ = try await fixture.send(.post, "/api/\(key)/lights")
                var told: [JSONValue] = []
                while !told.contains(where: { $0["type"] == "light" }) { told += try await listener.news() }
                let porch = try await fixture.lamp("Porch")
                #expect(told.contains { $0["id"] == .id(porch.id) && $0["metadata"]?["name"] == "Porch" })
                #expect(told.contains { $0["id"] == .id(porch.ids.device) })
                let found = try await fixture.send(.get, "/api/\(key)/lights/new").json
                #expect(found["\(porch.number)"] == ["name": "Porch"])
                let put = try await fixture.put("light", porch.id, #"{"dimming":{"brightness":50}}"#, key: key)
                #expect(put.status == 200)
                let documents = await fixture.controls.home.documents
                #expect(
                    documents.first { $0["type"] == "bridge_home" }?["children"]?.array?.contains(
                        .reference(porch.ids.device, .device)) == true)
            }
        }

        @Test func `a search adds no lamp to a full bridge`() async throws {
            try await withBridge {
                $0.timeScale = 1000
                $0.quirks = [.mostLights(6)]
            } _: { fixture in
                let key = try await fixture.pair()
                for name in ["One", "Two"] {
                    try await fixture.control(.post, "/lights", #"{"name":"\#(name)","kind":"plug"}"#)
                }
                _ = try await fixture.send(.post, "/api/\(key)/lights")
                try await until("the search is over") {
                    let scan = try? await fixture.send(.get, "/api/\(key)/lights/new").json["lastscan"]?.string
                    return scan != nil && scan != "active"
                }
                #expect(await fixture.controls.home.lamps.map(\.name).suffix(1) == ["One"])
                #expect(await fixture.controls.home.lamps.count == 6)
            }
        }

        @Test(arguments: [
            ("{}", 400), (#"{"name":"X"}"#, 400), (#"{"name":"X","kind":"torch"}"#, 400),
            (#"{"name":"","kind":"plug"}"#, 400), (#"{"name":"desk","kind":"plug"}"#, 409),
        ]) func `an invalid new lamp is refused`(body: String, status: Int) async throws {
            try await withBridge { fixture in
                let response = try await fixture.control(.post, "/lights", body)
                #expect(response.status == status)
            }
        }
    }
}
