import Curl
import Foundation
import HueWire
import ServerSentEvents
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire.FaultWireTests {
    /// Runs a bridge that sends events at once, and listens to its event stream.
    private func stream(
        _ home: HomeFile = .flat,
        _ body: @escaping @Sendable (BridgeFixture, String, inout EventListener) async throws -> Void
    ) async throws {
        try await withBridge(home) {
            $0.quirks = [.unlimited]
        } _: { fixture in
            let key = try await fixture.pair()
            var listener = try await fixture.listen(key: key)
            _ = try await listener.greeting()
            try await body(fixture, key, &listener)
        }
    }

    private static func turn(_ fixture: BridgeFixture, _ name: String, _ on: Bool) async {
        await fixture.controls.alter(name, by: .turning(.it(on: on)))
    }

    /// The ids of the lights in a frame.
    private static func lights(_ frame: ServerSentEvent?) throws -> [String?] {
        try #require(frame).resources.filter { $0["type"] == "light" }.map { $0["id"]?.string }
    }

    func eventFlood() async throws {
        try await stream { fixture, _, listener in
            try await fixture.begin(.eventFlood, #""value":1000"#)
            let lamp = try #require(await fixture.controls.home.lamps.first { $0.kind.dims }).id.description
            for _ in 0..<100 { #expect(try Self.lights(await listener.frame()) == [lamp]) }
        }
    }

    func silentStream() async throws {
        try await stream { fixture, _, listener in
            try await fixture.control(.post, "/faults", #"{"name":"silent-stream"}"#)
            await Self.turn(fixture, "Fan", true)
            try await fixture.control(.delete, "/faults/silent-stream")
            await Self.turn(fixture, "Desk", true)
            // The first event that arrives is that of the second change.
            let desk = try await fixture.lamp("Desk").id.description
            #expect(try Self.lights(await listener.frame()) == [desk])
        }
    }

    func streamEnds() async throws {
        try await stream { fixture, key, listener in
            try await fixture.control(.post, "/faults", #"{"name":"stream-ends","count":1}"#)
            await Self.turn(fixture, "Fan", true)
            let (frame, end) = (await listener.frame(), await listener.frame())
            #expect(frame != nil && end == nil)
            var again = try await fixture.listen(key: key, after: try #require(frame?.id))
            for on in [true, false] {
                await Self.turn(fixture, "Desk", on)
                #expect(await again.frame() != nil)
            }
        }
    }

    func splitStream() async throws {
        try await stream { fixture, key, listener in
            try await fixture.control(.post, "/faults", #"{"name":"split-stream","count":2}"#)
            var request = fixture.request(
                .get, "/eventstream/clip/v2", key: key, headers: [HTTPRequest.Header("Accept", "text/event-stream")])
            request.deadline = nil
            request.version = .http1
            var pieces = try await fixture.client.stream(request).pieces.makeAsyncIterator()
            var heard: [[UInt8]] = []
            // The greeting is split too.
            for _ in HueEventStream.greeting.utf8 { heard.append(try #require(await pieces.next())) }
            await Self.turn(fixture, "Fan", true)
            let frame = try #require(await listener.frame())
            for _ in frame.framed.utf8 { heard.append(try #require(await pieces.next())) }
            #expect(heard.allSatisfy { $0.count == 1 })
            #expect(String(decoding: heard.joined(), as: UTF8.self) == HueEventStream.greeting + frame.framed)
            await Self.turn(fixture, "Fan", false)
            let whole = try #require(await listener.frame())
            #expect(try await pieces.next() == Array(whole.framed.utf8))
        }
    }

    func lines(_ kind: FaultKind, end: String) async throws {
        try await stream { fixture, key, listener in
            try await fixture.control(.post, "/faults", #"{"name":"\#(kind.rawValue)"}"#)
            let request = fixture.request(
                .get, "/eventstream/clip/v2", key: key, headers: [HTTPRequest.Header("Accept", "text/event-stream")])
            var pieces = try await fixture.client.stream(request).pieces.makeAsyncIterator()
            let greeting = HueEventStream.greeting.replacing("\n", with: end)
            #expect(try await pieces.next() == Array(greeting.utf8))
            await Self.turn(fixture, "Fan", true)
            // A correct parser reads the same frame.
            let frame = try #require(await listener.frame())
            #expect(try await pieces.next() == Array(frame.framed.replacing("\n", with: end).utf8))
            try await fixture.control(.delete, "/faults/\(kind.rawValue)")
            await Self.turn(fixture, "Fan", false)
            let plain = try #require(await listener.frame())
            #expect(try await pieces.next() == Array(plain.framed.utf8))
        }
    }

    func duplicateEvents() async throws {
        try await stream { fixture, _, listener in
            try await fixture.control(.post, "/faults", #"{"name":"duplicate-events","count":1}"#)
            await Self.turn(fixture, "Fan", true)
            await Self.turn(fixture, "Desk", true)
            let frames = [await listener.frame(), await listener.frame(), await listener.frame()]
            #expect(frames[0] == frames[1] && frames[1] != frames[2])
            #expect(frames[0]?.id == frames[1]?.id)
        }
    }

    func reorderEvents() async throws {
        try await stream { fixture, _, listener in
            try await fixture.control(.post, "/faults", #"{"name":"reorder-events"}"#)
            await Self.turn(fixture, "Fan", true)
            await Self.turn(fixture, "Desk", true)
            let (fan, desk) = (
                try await fixture.lamp("Fan").id.description, try await fixture.lamp("Desk").id.description
            )
            #expect(try Self.lights(await listener.frame()) == [desk])
            #expect(try Self.lights(await listener.frame()) == [fan])
            // An event that is held back is sent when the fault ends.
            await Self.turn(fixture, "Fan", false)
            try await fixture.control(.delete, "/faults/reorder-events")
            #expect(try Self.lights(await listener.frame()) == [fan])
            // With a count it is sent after the next event.
            try await fixture.control(.post, "/faults", #"{"name":"reorder-events","count":1}"#)
            await Self.turn(fixture, "Fan", true)
            await Self.turn(fixture, "Desk", false)
            #expect(try Self.lights(await listener.frame()) == [desk])
            #expect(try Self.lights(await listener.frame()) == [fan])
            let left = try await fixture.control(.get, "/faults").json["faults"]?.array
            #expect(left?.compactMap { $0["name"]?.string } == ["unlimited"])
        }
    }

    @Test(arguments: ["/faults", "/faults/reorder-events"])
    func `a frame held back by a fault with a count is sent when the fault is ended`(path: String) async throws {
        try await stream { fixture, _, listener in
            try await fixture.control(.post, "/faults", #"{"name":"reorder-events","count":1}"#)
            await Self.turn(fixture, "Fan", true)
            // It has not been triggered yet: nothing has overtaken the frame.
            let held = try await fixture.control(.get, "/faults").json["faults"]?.array?.last
            #expect(held?["name"] == "reorder-events" && held?["count"] == 1 && held?["struck"] == 0)
            let ended = try #require(try await fixture.control(.delete, path).json["ended"]?.array)
            #expect(ended.contains("reorder-events"))
            let fan = try await fixture.lamp("Fan").id.description
            #expect(try Self.lights(await listener.frame()) == [fan])
        }
    }

    @Test(arguments: [#"{"name":"reorder-events"}"#, #"{"name":"reorder-events","for":0.2}"#])
    func `a frame held back is sent when another fault replaces its own, and when its own time is over`(next: String)
        async throws
    {
        try await stream { fixture, _, listener in
            let fan = try await fixture.lamp("Fan").id.description
            try await fixture.control(.post, "/faults", #"{"name":"reorder-events","count":1}"#)
            await Self.turn(fixture, "Fan", true)
            try await fixture.control(.post, "/faults", next)
            #expect(try Self.lights(await listener.frame()) == [fan])
            guard next.contains("for") else { return }
            await Self.turn(fixture, "Fan", false)
            #expect(try Self.lights(await listener.frame()) == [fan])
        }
    }

    @Test func `a reboot drops the frame that is held back`() async throws {
        try await stream { fixture, key, listener in
            try await fixture.control(.post, "/faults", #"{"name":"reorder-events","count":1}"#)
            await Self.turn(fixture, "Fan", true)
            try await fixture.control(.post, "/reboot", #"{"seconds":0}"#)
            let last = await listener.frame()
            #expect(last == nil)
            try await until("the bridge is back") { (try? await fixture.send(.get, "/api/config"))?.status == 200 }
            try await fixture.control(.delete, "/faults/reorder-events")
            var again = try await fixture.listen(key: key)
            _ = try await again.greeting()
            let desk = try await fixture.lamp("Desk").id.description
            for on in [true, false] {
                await Self.turn(fixture, "Desk", on)
                #expect(try Self.lights(await again.frame()) == [desk])
            }
        }
    }

    func loseEvents() async throws {
        try await stream { fixture, key, listener in
            await Self.turn(fixture, "Fan", true)
            let first = await listener.frame()
            try await fixture.control(.post, "/faults", #"{"name":"lose-events","count":1}"#)
            await Self.turn(fixture, "Fan", false)
            await Self.turn(fixture, "Desk", true)
            let (fan, desk) = (
                try await fixture.lamp("Fan").id.description, try await fixture.lamp("Desk").id.description
            )
            #expect(try Self.lights(await listener.frame()) == [desk])
            var again = try await fixture.listen(key: key, after: try #require(first?.id))
            #expect(try Self.lights(await again.frame()) == [fan])
        }
    }

    func unknownIDs() async throws {
        try await stream { fixture, _, listener in
            try await fixture.control(.post, "/faults", #"{"name":"unknown-ids","count":1}"#)
            await Self.turn(fixture, "Fan", true)
            let known = Set(await fixture.controls.home.documents.map { $0["id"] })
            let containers = try #require(await listener.frame()).containers
            let strange = containers.filter { $0["data"]?.array?.contains { !known.contains($0["id"]) } == true }
            #expect(strange.map { $0["type"] } == ["update", "delete"])
            await Self.turn(fixture, "Fan", false)
            let after = try #require(await listener.frame()).resources
            #expect(after.allSatisfy { known.contains($0["id"]) })
        }
    }

    func lateEffects() async throws {
        try await stream { fixture, _, listener in
            func set(_ change: Lamp.Change) async throws {
                let desk = try await fixture.lamp("Desk").id
                await fixture.controls.core.alter(by: [.updating(.lamp(desk, by: [change]))])
            }
            func next() async throws -> [String: JSONValue] {
                try #require(await listener.frame()).resources.reduce(into: [:]) { all, part in
                    all.merge(part.object ?? [:]) { $1 }
                }
            }
            try await set(.setting(.effect(to: .running("candle"))))
            #expect(try await next()["effects_v2"]?["status"]?["effect"] == "candle")
            try await fixture.control(.post, "/faults", #"{"name":"late-effects","count":1}"#)
            try await set(.setting(.tint(to: .white(mirek: 200))))
            let news = try await next()
            #expect(news["color_temperature"] != nil && news["effects_v2"] == nil && news["effects"] == nil)
            await Self.turn(fixture, "Fan", true)
            let late = try await next()
            #expect(late["effects_v2"]?["status"]?["effect"] == "no_effect", "\(late)")
        }
    }

    func errorEvent() async throws {
        try await stream { fixture, _, listener in
            try await fixture.control(.post, "/faults", #"{"name":"error-event","count":1}"#)
            for (on, expected) in [(true, true), (false, false)] {
                await Self.turn(fixture, "Fan", on)
                let containers = try #require(await listener.frame()).containers
                #expect(containers.contains { $0["type"] == "error" } == expected)
                #expect(containers.contains { $0["type"] == "update" })
            }
        }
    }

    func ghostButtons() async throws {
        var home = HomeFile.flat
        home.rooms[0].accessories = [HomeFile.Accessory(name: "Dimmer", kind: .switch)]
        try await stream(home) { fixture, key, listener in
            let dimmer = try #require(await fixture.controls.home.accessory(called: "Dimmer"))
            let pressed = Date(timeIntervalSince1970: 1_700_000_000)
            await fixture.controls.core.alter(
                by: [.updating(.accessory(dimmer.id, by: [.reporting(.button(1, "short_release", at: pressed))]))])
            let news = try await listener.news()
            try await fixture.control(.post, "/faults", #"{"name":"ghost-buttons"}"#)
            var again = try await fixture.listen(key: key)
            let ghosts = try await again.news()
            let report: JSONValue = ["updated": pressed.stamp, "event": "short_release"]
            #expect(ghosts.map { $0["button"]?["button_report"] } == [report])
            #expect(ghosts.map { $0["id"] } == news.map { $0["id"] })
            try await fixture.control(.delete, "/faults/ghost-buttons")
            var last = try await fixture.listen(key: key)
            await Self.turn(fixture, "Fan", true)
            #expect(try await last.news().allSatisfy { $0["type"] != "button" })
        }
    }
}
