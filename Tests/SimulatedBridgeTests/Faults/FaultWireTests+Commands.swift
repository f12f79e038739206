import Curl
import Foundation
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire.FaultWireTests {
    private static func shown(_ fixture: BridgeFixture, _ name: String) async throws -> LightState {
        let id = try await fixture.lamp(name).id
        return try #require(await fixture.controls.core.shown(id)).lightState
    }

    private static func living(_ fixture: BridgeFixture) async throws -> ResourceID {
        try #require(await fixture.controls.home.groups.first { $0.name == "Living" }).groupedLight
    }

    func stragglers() async throws {
        try await withBridge {
            $0.quirks = [.unlimited]
            $0.timeScale = 20
        } _: { fixture in
            let key = try await fixture.pair()
            let group = try await Self.living(fixture)
            try await fixture.control(.post, "/faults", #"{"name":"stragglers","value":1,"count":1}"#)
            #expect(try await fixture.put("grouped_light", group, #"{"on":{"on":true}}"#, key: key).status == 200)
            // The bridge believes that all are on, until it polls them.
            #expect(await fixture.controls.home.lamps.filter(\.isOn).count == 4)
            try await until("the bridge has found the lamp that is off") {
                await fixture.controls.home.lamps.filter(\.isOn).count == 3
            }
            var lit = 0
            for name in ["Desk", "Sofa", "Fan"] where try await Self.shown(fixture, name).isOn { lit += 1 }
            #expect(lit == 2)
            #expect(try await fixture.put("grouped_light", group, #"{"on":{"on":true}}"#, key: key).status == 200)
            try await until("all lamps are on") {
                for name in ["Desk", "Sofa", "Fan"] where try await !Self.shown(fixture, name).isOn { return false }
                return true
            }
        }
    }

    /// Compares when the lamps start to change. A slow clock leaves time to read it.
    func popcorn() async throws {
        try await withBridge {
            $0.quirks = [.unlimited]
            $0.timeScale = 0.1
        } _: { fixture in
            let key = try await fixture.pair()
            let group = try await Self.living(fixture)
            func switched(_ on: Bool) async throws -> [Duration] {
                let body = #"{"on":{"on":\#(on)},"dynamics":{"duration":0}}"#
                #expect(try await fixture.put("grouped_light", group, body, key: key).status == 200)
                var bulbs: [Duration] = []
                for name in ["Desk", "Sofa", "Fan"] {
                    let id = try await fixture.lamp(name).id
                    bulbs.append(try #require(await fixture.controls.core.mesh.bulbs[id]).start)
                }
                return bulbs
            }
            #expect(Set(try await switched(true)).count == 1)
            try await fixture.control(.post, "/faults", #"{"name":"popcorn"}"#)
            let starts = try await switched(false)
            #expect(starts == starts.sorted() && Set(starts).count == 3)
            try await fixture.control(.delete, "/faults/popcorn")
            #expect(Set(try await switched(true)).count == 1)
        }
    }

    func offTransitionLevel() async throws {
        try await withBridge {
            $0.quirks = [.unlimited]
        } _: { fixture in
            let key = try await fixture.pair()
            let stove = try await fixture.lamp("Stove")
            let off = #"{"on":{"on":false},"dynamics":{"duration":2000}}"#
            try await fixture.control(.post, "/faults", #"{"name":"off-transition-level","count":1}"#)
            #expect(try await fixture.put("light", stove.id, off, key: key).status == 200)
            #expect(try await fixture.put("light", stove.id, #"{"on":{"on":true}}"#, key: key).status == 200)
            #expect(try await fixture.lamp("Stove").level == 1)
            let level = #"{"dimming":{"brightness":80}}"#
            #expect(try await fixture.put("light", stove.id, level, key: key).status == 200)
            #expect(try await fixture.put("light", stove.id, off, key: key).status == 200)
            #expect(try await fixture.put("light", stove.id, #"{"on":{"on":true}}"#, key: key).status == 200)
            #expect(try await fixture.lamp("Stove").level == Level.bri(percent: 80))
        }
    }

    func communicationErrors() async throws {
        try await withBridge {
            $0.quirks = [.unlimited]
        } _: { fixture in
            let key = try await fixture.pair()
            let desk = try await fixture.lamp("Desk")
            let body = #"{"on":{"on":true},"dimming":{"brightness":30}}"#
            try await fixture.control(.post, "/faults", #"{"name":"communication-errors","count":1}"#)
            let doubtful = try await fixture.put("light", desk.id, body, key: key)
            #expect(doubtful.status == 207)
            #expect(try doubtful.envelope.errors.map(\.code) == ["communication_error", "communication_error"])
            #expect(try doubtful.envelope.data.map { $0["rid"] } == [.id(desk.id)])
            #expect(try await fixture.lamp("Desk").isOn)
            let plain = try await fixture.put("light", desk.id, body, key: key)
            #expect(try plain.status == 200 && plain.envelope.errors.isEmpty)
        }
    }

    func takesBack() async throws {
        try await withBridge {
            $0.quirks = [.unlimited]
        } _: { fixture in
            let key = try await fixture.pair()
            await fixture.controls.alter("Desk", by: .turning(.it(on: false)))
            await fixture.controls.alter("Desk", by: .cutting(.mains))
            let desk = try await fixture.lamp("Desk")
            try await fixture.begin(.takesBack)
            _ = try await fixture.put("light", desk.id, #"{"on":{"on":true}}"#, key: key)
            #expect(try await fixture.lamp("Desk").isOn, "the bridge reports the target at once")
            try await until("it is taken back") { try await !fixture.lamp("Desk").isOn }
            #expect(try await !fixture.lamp("Desk").hasMains)
        }
    }

    func quietUnreachable() async throws {
        try await withBridge {
            $0.quirks = [.unlimited]
        } _: { fixture in
            let key = try await fixture.pair()
            await fixture.controls.alter("Desk", by: .cutting(.mains))
            let home = await fixture.controls.home
            let desk = try await fixture.lamp("Desk")
            let group = try #require(home.room(of: desk.id)?.groupedLight)
            let targets = [("light", desk.id), ("grouped_light", group)]
            // An attribute that the lamp does not have is still reported.
            let point = #"{"color":{"xy":{"x":0.3,"y":0.3}}}"#
            let body = #"{"on":{"on":true},"gradient":{"points":[\#(point),\#(point)]}}"#
            for (type, id) in targets {
                let outspoken = try await fixture.put(type, id, #"{"on":{"on":true}}"#, key: key)
                #expect(try outspoken.status == 207 && outspoken.envelope.errors.count == 1)
            }
            try await fixture.begin(.quietUnreachable)
            for (type, id) in targets {
                let quiet = try await fixture.put(type, id, #"{"on":{"on":false}}"#, key: key)
                #expect(try quiet.status == 200 && quiet.envelope.errors.isEmpty)
                #expect(try quiet.envelope.data.map { $0["rid"] } == [.id(id)])
            }
            let mixed = try await fixture.put("light", desk.id, body, key: key)
            #expect(try mixed.envelope.errors.map(\.code) == ["client_error"])
            let device = try await fixture.send(.get, "/clip/v2/resource/zigbee_connectivity", key: key).envelope.data
                .first { $0["owner"]?["rid"] == .id(desk.ids.device) }
            #expect(device?["status"] == "connectivity_issue")
            try await fixture.control(.delete, "/faults/quiet-unreachable")
            #expect(try await fixture.put("light", desk.id, #"{"on":{"on":true}}"#, key: key).status == 207)
        }
    }

    func error201() async throws {
        try await withBridge {
            $0.quirks = [.unlimited]
        } _: { fixture in
            let key = try await fixture.pair()
            let (path, body) = (
                "/api/\(key)/lights/\(try await fixture.lamp("Desk").number)/state", #"{"on":true,"bri":77}"#
            )
            try await fixture.control(.post, "/faults", #"{"name":"error-201","count":1}"#)
            let refused = try await fixture.sendPlainly(.put, path, body: body)
            let rows = try #require(try refused.json.array)
            #expect(rows.count == 2)
            #expect(rows.contains { $0["success"] != nil })
            #expect(rows.compactMap { $0["error"]?["type"]?.int } == [201])
            let lamp = try await fixture.lamp("Desk")
            #expect(lamp.isOn && lamp.level != 77)
            let plain = try await fixture.sendPlainly(.put, path, body: body)
            #expect(try plain.json.array?.allSatisfy { $0["success"] != nil } == true)
            #expect(try await fixture.lamp("Desk").level == 77)
        }
    }

    // MARK: - Protocol, certificate, reboot, move

    func http1() async throws {
        // At an address of its own: at 127.0.0.1 somebody's connection may have taken a port that is listened at again.
        try await withBridge {
            $0.host = Loopback.next()
        } _: { fixture in
            #expect(try await fixture.send(.get, "/api/config").head.version == "2")
            try await fixture.begin(.http1)
            try await until("it speaks HTTP/1.1") {
                (try? await fixture.send(.get, "/api/config"))?.head.version == "1.1"
            }
            try await fixture.end(.http1)
            try await until("it speaks HTTP/2") { (try? await fixture.send(.get, "/api/config"))?.head.version == "2" }
            // The same if the fault ends by itself.
            try await fixture.begin(.http1, #""for":0.5"#)
            try await until("it speaks HTTP/1.1") {
                (try? await fixture.send(.get, "/api/config"))?.head.version == "1.1"
            }
            try await until("it speaks HTTP/2") { (try? await fixture.send(.get, "/api/config"))?.head.version == "2" }
            #expect(try await fixture.bridge.ready == fixture.ready)
        }
    }

    func certificate() async throws {
        try await withBridge { fixture in
            /// The certificate's bytes, in which names and dates are readable.
            func shown() async throws -> String {
                var request = fixture.request(.get, "/api/config", at: try await fixture.bridge.ready)
                request.trust = .unverified
                request.wantsCertificate = true
                request.bringsConnection = true
                let pem = try #require(try await fixture.client.send(request).certificate)
                let text = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
                return String(decoding: try #require(Data(base64Encoded: text)), as: Unicode.ASCII.self)
            }
            let id = fixture.ready.bridgeID
            #expect(try await shown().contains(id))
            for (variant, words) in [
                ("upper", [id.uppercased(), "BSB003"]), ("wrong-name", ["001788fffe000000"]),
                // Valid until 2020.
                ("expired", ["200101000000Z", id]),
            ] {
                try await fixture.begin(.certificate, #""value":"\#(variant)""#)
                try await until("the bridge shows that certificate") {
                    guard let shown = try? await shown() else { return false }
                    return words.allSatisfy { shown.contains($0) }
                }
                // The key is the same, so clients that pinned it accept the certificate.
                #expect(try await fixture.bridge.ready.pin == fixture.ready.pin)
            }
            try await fixture.begin(.certificate, #""value":"renewed""#)
            try await until("the certificate has another key") {
                try await fixture.bridge.ready.pin != fixture.ready.pin
            }
            try await fixture.end(.certificate)
            try await until("the first certificate is back") {
                (try? await fixture.bridge.ready.pin) == fixture.ready.pin
            }
            #expect(try await shown().contains(id))
            #expect(try await fixture.send(.get, "/api/config").status == 200)
        }
    }

    func reboot() async throws {
        try await withBridge {
            $0.timeScale = 2
        } _: { fixture in
            try await fixture.begin(.reboot, #""value":2"#)
            try await until("the bridge is down") {
                do throws(CurlError) {
                    _ = try await fixture.client.send(fixture.request(.get, "/api/config"))
                    return false
                } catch {
                    if case .noConnection = error { return true }
                    return false
                }
            }
            try await until("the bridge is back") { (try? await fixture.send(.get, "/api/config"))?.status == 200 }
            // It is slow for a while, and then as before.
            try await until("the fault has ended") {
                try await fixture.control(.get, "/faults").json == ["faults": []]
            }
            #expect(try await fixture.send(.get, "/api/config").status == 200)
        }
    }

    func move() async throws {
        try await withBridge { fixture in
            try await fixture.begin(.move, #""value":"127.0.0.2""#)
            try await until("the bridge has moved") { (try? await fixture.bridge.ready.host) == "127.0.0.2" }
            let moved = try await fixture.bridge.ready
            #expect(moved.controlPort == fixture.ready.controlPort && moved.pin == fixture.ready.pin)
            #expect(try await fixture.client.send(fixture.request(.get, "/api/config", at: moved)).status == 200)
            await #expect(throws: CurlError.self) { try await fixture.send(.get, "/api/config") }
            try await fixture.begin(.move, #""value":"127.0.0.1:\#(fixture.ready.httpsPort)""#)
            try await until("the bridge is back") { (try? await fixture.send(.get, "/api/config"))?.status == 200 }
        }
    }
}
