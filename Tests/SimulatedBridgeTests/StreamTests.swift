import Curl
import Foundation
import HueWire
import ServerSentEvents
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// The event stream on the wire.
    @Suite struct StreamTests {
        @Test func `a stream sends its greeting at once`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                #expect(listener.head.status == 200)
                #expect(listener.head["content-type"] == "text/event-stream")
                #expect(listener.head.version == "2")
                #expect(try await listener.greeting() == ": hi\n\n")
            }
        }

        /// The answer to the write is delayed by nearly the second for which further changes are gathered.
        @Test func `a first change is sent as an event at once, and not after a second`() async throws {
            try await withBridge {
                $0.quirks = [.latency(900)]
            } _: { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                _ = try await listener.greeting()
                let desk = try await fixture.lamp("Desk")
                let order = AsyncStream<String>.makeStream()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        _ = try await fixture.put("light", desk.id, #"{"on":{"on":true}}"#, key: key)
                        order.continuation.yield("answer")
                    }
                    let news = try await listener.news()
                    order.continuation.yield("event")
                    try await group.waitForAll()
                    order.continuation.finish()
                    #expect(news.contains { $0["id"] == .id(desk.id) && $0["on"]?["on"] == true })
                }
                var seen: [String] = []
                for await one in order.stream { seen.append(one) }
                #expect(seen == ["event", "answer"])
            }
        }

        @Test func `further changes within a second are in one frame, with the last value of each property`()
            async throws
        {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                let (desk, stove) = (try await fixture.lamp("Desk"), try await fixture.lamp("Stove"))
                await fixture.controls.alter("Desk", by: .turning(.it(on: true)))
                let first = try #require(await listener.frame())
                for level in [10, 20, 30] { await fixture.controls.alter("Desk", by: .setting(.level(to: level))) }
                await fixture.controls.alter("Stove", by: .turning(.it(on: false)))
                let second = try #require(await listener.frame())
                let told = try first.resources.filter { $0["type"] == "light" }
                let expected: JSONValue = [
                    "id": .id(desk.id), "id_v1": .string("/lights/\(desk.number)"), "type": "light", "service_id": 0,
                    "owner": .reference(desk.ids.device, .device), "on": ["on": true],
                ]
                #expect(told == [expected])
                let news = try second.resources
                let light = try #require(news.first { $0["id"] == .id(desk.id) })
                #expect(light["dimming"] == ["brightness": .number(Level.percent(bri: 30))])
                #expect(light["on"] == nil)
                #expect(news.contains { $0["id"] == .id(stove.id) && $0["on"]?["on"] == false })
                // The frames are a second apart.
                let seconds = [first, second].compactMap { $0.id?.split(separator: ":").first.flatMap { Int($0) } }
                #expect(seconds.count == 2 && seconds[1] > seconds[0])
            }
        }

        @Test func `the connection of an HTTP/1.1 client that is gone is closed, even if no events are sent`()
            async throws
        {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                let request = fixture.request(
                    .get, "/eventstream/clip/v2", key: key,
                    headers: [HTTPRequest.Header("Accept", "text/event-stream")])
                var old = request
                old.version = .http1
                old.deadline = nil
                let before = try Self.descriptors()
                do {
                    var listener = EventListener(try await fixture.client.stream(old))
                    _ = try await listener.greeting()
                    #expect(try Self.descriptors() > before)
                }
                try await until("the connection is closed", within: .seconds(10)) {
                    ((try? Self.descriptors()) ?? .max) <= before
                }
            }
        }

        /// How many files and sockets this process has open: the bridge's and the client's.
        private static func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }

        @Test func `the event of a recall has the scene, its lamps and their groups`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                let home = await fixture.controls.home
                let scene = try #require(home.scenes.first { $0.name == "Evening" })
                _ = try await fixture.put("scene", scene.id, #"{"recall":{"action":"active"}}"#, key: key)
                let news = try await listener.news()
                #expect(news.contains { $0["id"] == .id(scene.id) && $0["status"]?["active"] == "static" })
                for name in ["Living", "Downstairs", "home"] {
                    let group = try #require(home.groups.first { $0.name == name })
                    #expect(news.contains { $0["id"] == .id(group.groupedLight) }, "\(name)")
                }
                let desk = try #require(home.lamp(called: "Desk"))
                let light = try #require(news.first { $0["id"] == .id(desk.id) })
                #expect(light["color_temperature"] == ["mirek": .null, "mirek_valid": false])
                #expect(light["color"]?.object?.keys.sorted() == ["xy"])
            }
        }

        @Test func `a client that reconnects with its last id gets the missed events`() async throws {
            try await withBridge {
                $0.quirks = [.unlimited]
            } _: { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                await fixture.controls.alter("Desk", by: .turning(.it(on: true)))
                let first = try #require(await listener.frame())
                await fixture.controls.alter("Desk", by: .turning(.it(on: false)))
                let missed = try #require(await listener.frame())
                let last = try #require(first.id)
                var again = try await fixture.listen(key: key, after: last)
                let told = await again.frame()
                #expect(told == missed)
                await fixture.controls.alter("Fan", by: .turning(.it(on: true)))
                let (one, other) = (await listener.frame(), await again.frame())
                #expect(one != nil && one == other)
            }
        }

        @Test func `a client that leaves does not disturb another`() async throws {
            try await withBridge {
                $0.quirks = [.unlimited]
            } _: { fixture in
                let key = try await fixture.pair()
                var stays = try await fixture.listen(key: key)
                do {
                    var leaves = try await fixture.listen(key: key)
                    _ = try await leaves.greeting()
                }
                for on in [true, false, true] {
                    await fixture.controls.alter("Fan", by: .turning(.it(on: on)))
                    #expect(try await stays.news().contains { $0["on"]?["on"] == .bool(on) })
                }
            }
        }

        @Test func `a long poll is answered with the next event, or at once with missed ones`()
            async throws
        {
            try await withBridge {
                $0.quirks = [.unlimited]
            } _: { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                _ = try await listener.greeting()
                async let waiting = fixture.send(.get, "/eventstream/clip/v2", key: key)
                try await until("a long poll waits") { await fixture.controls.waitingPolls == 1 }
                await fixture.controls.alter("Fan", by: .turning(.it(on: true)))
                let response = try await waiting
                #expect(response.status == 200 && response.head["content-type"] == "application/json")
                #expect(try response.json.array?.first?["data"]?.array?.first?["on"]?["on"] == true)
                let first = try #require(await listener.frame())
                #expect(response.head["etag"] == first.id)
                // Two more changes; a client that has the first event gets both.
                for on in [false, true] { await fixture.controls.alter("Fan", by: .turning(.it(on: on))) }
                let late = try await fixture.client.send(
                    fixture.request(
                        .get, "/eventstream/clip/v2", key: key,
                        headers: [HTTPRequest.Header("If-None-Match", first.id ?? "")]))
                let news = try late.json.array?.flatMap { $0["data"]?.array ?? [] }
                #expect(news?.filter { $0["type"] == "light" }.map { $0["on"]?["on"] } == [false, true])
            }
        }
    }
}
