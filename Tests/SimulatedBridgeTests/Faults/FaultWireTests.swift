import Curl
import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// Every fault as a client sees it, started and ended through the control port.
    @Suite struct FaultWireTests {
        @Test(arguments: FaultKind.allCases)
        func `a fault shows on the wire until it is ended`(kind: FaultKind) async throws {
            switch kind {
            case .busy: try await busy()
            case .latency, .slow: try await late(kind)
            case .hang: try await hang()
            case .hangUp: try await hangUp()
            case .reset: try await reset()
            case .truncated: try await truncated()
            case .goaway: try await goaway()
            case .keyRevoked: try await keyRevoked()
            case .loneWrites: try await loneWrites()
            case .errorAfterUptime: try await errorAfterUptime()
            case .eventsRefused: try await eventsRefused()
            case .unlimited: try await unlimited()
            case .inFlight: try await inFlight()
            case .lightsPerSecond, .groupsPerSecond, .burst: try await commandsPerSecond(kind)
            case .limitStatus: try await limitStatus()
            case .mostLights: try await mostLights()
            case .noButton, .buttonPressed: try await pairing(kind)
            case .clockWrong: try await clockWrong()
            case .http1: try await http1()
            case .certificate: try await certificate()
            case .reboot: try await reboot()
            case .move: try await move()
            case .blackHole: try await blackHole()
            case .halfOpen: try await halfOpen()
            case .slowDrip: try await slowDrip()
            case .noNewConnections: try await noNewConnections()
            case .silentStream: try await silentStream()
            case .streamEnds: try await streamEnds()
            case .splitStream: try await splitStream()
            case .crlfStream: try await lines(.crlfStream, end: "\r\n")
            case .trailingBlanks: try await lines(.trailingBlanks, end: "  \n")
            case .duplicateEvents: try await duplicateEvents()
            case .reorderEvents: try await reorderEvents()
            case .loseEvents: try await loseEvents()
            case .unknownIDs: try await unknownIDs()
            case .lateEffects: try await lateEffects()
            case .errorEvent: try await errorEvent()
            case .ghostButtons: try await ghostButtons()
            case .eventFlood: try await eventFlood()
            case .halfBooted:
                try await list(kind) { before, after in
                    before.count(where: { $0["type"] == "room" }) > 0
                        && after.count(where: { $0["type"] == "room" }) == 0
                        && after.count(where: { $0["type"] == "light" })
                            == before.count(where: { $0["type"] == "light" })
                }
            case .unknownTypes: try await list(kind) { _, after in after.contains { $0["type"] == "quantum_mood" } }
            case .unknownEnums: try await light(kind) { $1["metadata"]?["archetype"] == "hovering_orb" }
            case .missingFields:
                try await light(kind) { $1["powerup"] == nil && $1["dimming"]?["min_dim_level"] == nil }
            case .emptyFeatures: try await light(kind) { $0["gradient"] == nil && $1["gradient"] == [:] }
            case .nullFeatures: try await light(kind) { $0["gradient"] == nil && $1["gradient"] == .null }
            case .noIDV1: try await light(kind) { $0["id_v1"] != nil && $1["id_v1"] == nil }
            case .missingOwner: try await light(kind) { $0["owner"] != nil && $1["owner"] == nil }
            case .oddVersion:
                try await list(kind) { _, after in
                    after.contains { $0["product_data"]?["software_version"]?.string?.contains("rc3") == true }
                }
            case .mirekNull: try await light(kind, "Stove") { $1["color_temperature"]?["mirek"] == .null }
            case .brokenMirek: try await light(kind, "Stove") { $1["color_temperature"]?["mirek"] == 65535 }
            case .brokenSchema: try await light(kind) { Self.schema($1) == [0, 65535] }
            case .wideSchema: try await light(kind) { Self.schema($1) == [50, 1000] }
            case .zeroGamut: try await light(kind) { $1["color"]?["gamut"]?["green"] == ["x": 0, "y": 0] }
            case .noGamut: try await light(kind) { $1["color"]?["gamut"] == nil && $1["color"]?["xy"] != nil }
            case .otherGamut: try await light(kind) { $1["color"]?["gamut_type"] == "other" }
            case .colourShift: try await light(kind) { Self.x($0) != Self.x($1) }
            case .zeroBrightness: try await light(kind, "Stove") { $1["dimming"]?["brightness"] == 0 }
            case .noDimming: try await light(kind) { $0["dimming"] != nil && $1["dimming"] == nil }
            case .missingPoints:
                try await light(kind, "Gradient", in: HomeFixture.showroom) {
                    $0["gradient"]?["points"] != nil && $1["gradient"]?["points"] == nil
                }
            case .effectsDisagree:
                try await light(kind) {
                    $1["effects"]?["status"] == "sparkle" && $1["effects_v2"]?["status"] == $0["effects_v2"]?["status"]
                }
            case .noGroupedLight: try await noGroupedLight()
            case .stragglers: try await stragglers()
            case .popcorn: try await popcorn()
            case .offTransitionLevel: try await offTransitionLevel()
            case .communicationErrors: try await communicationErrors()
            case .quietUnreachable: try await quietUnreachable()
            case .takesBack: try await takesBack()
            case .error201: try await error201()
            }
        }

        private static func schema(_ light: JSONValue) -> [Int?] {
            let schema = light["color_temperature"]?["mirek_schema"]
            return [schema?["mirek_minimum"]?.int, schema?["mirek_maximum"]?.int]
        }

        private static func x(_ light: JSONValue) -> Double? { light["color"]?["xy"]?["x"]?.double }

        // MARK: - Documents

        /// Checks a fault that changes a light's document. After the fault the document is as before, byte for byte.
        private func light(
            _ kind: FaultKind, _ name: String = "Desk", in home: HomeFile = .flat,
            _ isBent: @escaping @Sendable (_ before: JSONValue, _ bent: JSONValue) -> Bool
        ) async throws {
            try await withBridge(home) { fixture in
                let key = try await fixture.pair()
                let path = "/clip/v2/resource/light/\(try await fixture.lamp(name).id)"
                let before = try await fixture.send(.get, path, key: key)
                try await fixture.begin(kind)
                let bent = try await fixture.send(.get, path, key: key)
                let (old, new) = (try before.envelope.data[0], try bent.envelope.data[0])
                #expect(isBent(old, new), "\(bent.text)")
                #expect(bent.status == 200 && bent.head["content-type"] == "application/json")
                try await fixture.end(kind)
                let after = try await fixture.send(.get, path, key: key)
                #expect(after.body == before.body)
            }
        }

        private func list(
            _ kind: FaultKind, _ isBent: @escaping @Sendable (_ before: [JSONValue], _ bent: [JSONValue]) -> Bool
        ) async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                let before = try await fixture.send(.get, "/clip/v2/resource", key: key)
                try await fixture.begin(kind, #""count":1"#)
                let bent = try await fixture.send(.get, "/clip/v2/resource", key: key)
                #expect(isBent(try before.envelope.data, try bent.envelope.data))
                #expect(bent.body != before.body)
                // The fault strikes once, and is over.
                #expect(try await fixture.send(.get, "/clip/v2/resource", key: key).body == before.body)
            }
        }

        private func noGroupedLight() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                let room = try #require(await fixture.controls.home.groups.first { $0.name == "Living" })
                let path = "/clip/v2/resource/room/\(room.id)"
                let grouped = "/clip/v2/resource/grouped_light/\(room.groupedLight)"
                let before = try await fixture.send(.get, path, key: key)
                try await fixture.begin(.noGroupedLight, #""value":"living""#)
                let bent = try await fixture.send(.get, path, key: key)
                #expect(try bent.envelope.data.first?["services"] == [])
                #expect(try await fixture.send(.get, grouped, key: key).status == 404)
                #expect(try await fixture.send(.put, grouped, key: key, body: #"{"on":{"on":true}}"#).status == 404)
                let kitchen = try #require(await fixture.controls.home.groups.first { $0.name == "Kitchen" })
                let other = "/clip/v2/resource/grouped_light/\(kitchen.groupedLight)"
                #expect(try await fixture.send(.get, other, key: key).status == 200)
                try await fixture.end(.noGroupedLight)
                #expect(try await fixture.send(.get, path, key: key).body == before.body)
                #expect(try await fixture.send(.put, grouped, key: key, body: #"{"on":{"on":true}}"#).status == 200)
            }
        }
    }
}

extension BridgeFixture {
    /// Starts a fault through the control port.
    func begin(_ kind: FaultKind, _ more: String = "") async throws {
        let body = #"{"name":"\#(kind.rawValue)"\#(more.isEmpty ? "" : ",")\#(more)}"#
        let response = try await control(.post, "/faults", body)
        #expect(response.status == 200, "\(response.text)")
    }

    func end(_ kind: FaultKind) async throws {
        let response = try await control(.delete, "/faults/\(kind.rawValue)")
        #expect(try response.json == ["ended": [.string(kind.rawValue)]])
        #expect(try await control(.get, "/faults").json == ["faults": []])
    }
}
