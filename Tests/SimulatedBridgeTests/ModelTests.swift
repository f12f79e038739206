import Curl
import Foundation
import HueWire
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// What each model serves on which port.
    @Suite struct ModelTests {
        @Test func `the Bridge Pro redirects every plain HTTP request to HTTPS`() async throws {
            try await withBridge {
                $0.model = .pro
            } _: { fixture in
                for (method, path) in [(HTTPRequest.Method.get, "/api/config"), (.post, "/api"), (.put, "/x?y=1")] {
                    let response = try await fixture.sendPlainly(method, path)
                    #expect(response.status == 301)
                    #expect(response.head["location"] == "https://127.0.0.1:\(fixture.ready.httpsPort)\(path)")
                    #expect(response.head["content-type"] == "text/html")
                }
                let config = try await fixture.send(.get, "/api/config").json
                #expect(config["modelid"] == "BSB003" && config["swversion"] == "2071476020")
                #expect(fixture.ready.bridgeID.hasPrefix("c42996fffe"))
                let key = try await fixture.pair()
                let devices = try await fixture.send(.get, "/clip/v2/resource/device", key: key).envelope.data
                #expect(devices.first?["product_data"]?["product_archetype"] == "bridge_v3")
            }
        }

        @Test(arguments: [BridgeModel.round, .deconz])
        func `a bridge with API v1 only has no HTTPS port and answers 404 to v2`(model: BridgeModel) async throws {
            try await withBridge {
                $0.model = model
            } _: { fixture in
                #expect(fixture.ready.httpsPort == 0)
                #expect(fixture.ready.model == model.rawValue)
                let config = try await fixture.sendPlainly(.get, "/api/config").json
                #expect(config["modelid"]?.string == model.rawValue)
                #expect(try await fixture.sendPlainly(.get, "/clip/v2/resource").status == 404)
                #expect(try await fixture.sendPlainly(.get, "/eventstream/clip/v2").status == 404)
            }
        }

        @Test func `a square bridge serves v2 over HTTPS only`() async throws {
            try await withBridge { fixture in
                #expect(try await fixture.sendPlainly(.get, "/clip/v2/resource").status == 404)
                let response = try await fixture.send(.get, "/clip/v2/resource")
                #expect(response.status == 403 && response.isPage)
            }
        }
    }

    /// A home that is too large for its bridge.
    @Suite struct SizeTests {
        private func home(_ count: Int) -> HomeFile {
            HomeFile(
                rooms: [HomeFile.Room(name: "R", lights: (1...count).map { .init(name: "L\($0)", kind: .color) })])
        }

        @Test func `more lights than the model supports are refused, with advice`() throws {
            let error = #expect(throws: SimulatedBridgeError.self) {
                try SimulatedBridge(Settings(home: home(51)), logger: silent)
            }
            #expect(
                error?.description
                    == "the home has 51 lights, and a BSB002 takes 50; "
                    + "allow more with --quirk most-lights:51, or simulate a Bridge Pro: --model BSB003"
            )
            var settings = Settings(home: home(51))
            settings.model = .pro
            #expect(throws: Never.self) { try SimulatedBridge(settings, logger: silent) }
            settings.home = home(151)
            #expect(throws: SimulatedBridgeError.self) { try SimulatedBridge(settings, logger: silent) }
            settings.quirks = [.mostLights(151)]
            #expect(throws: Never.self) { try SimulatedBridge(settings, logger: silent) }
        }
    }
}
