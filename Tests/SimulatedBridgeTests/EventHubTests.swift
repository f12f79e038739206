import Foundation
import HueWire
import ServerSentEvents
import TestSupport
import Testing

@testable import SimulatedBridge

@Suite struct EventHubTests {
    private static let time = Date(timeIntervalSince1970: 1_790_000_000)

    /// A client that merges every update into its copy has the bridge's state, however changes were batched.
    @Test(arguments: seeds(4 as UInt64))
    func `updates merged into the old home give the new home, and contain nothing else`(
        seed: UInt64
    ) async throws {
        var random = SplitMix(seed: seed)
        var hub = EventHub()
        let stream = hub.open(after: nil).pieces
        let first = SimulatedHome(.flat, seed: 1)
        var home = first
        for step in 0..<40 {
            let next = home.alter(by: random.change(of: home))
            for difference in SimulatedHome.differences(from: home, to: next) { hub.record(difference) }
            home = next
            if Int.random(in: 0..<4, using: &random) == 0 { hub.flush(at: Self.time + Double(step)) }
        }
        hub.flush(at: Self.time + 40)
        hub.close()
        var picture = Dictionary(uniqueKeysWithValues: try first.documents.asRead.map { ($0["id"]!, $0) })
        for frame in await Self.frames(stream) {
            let resources = try frame.resources
            #expect(Set(resources.map { $0["id"] }).count == resources.count, "a resource is in a frame only once")
            for update in resources {
                let id = try #require(update["id"])
                let known = try #require(picture[id]?.object)
                for name in ["type", "id_v1", "owner", "service_id"] { #expect(update[name] == known[name]) }
                if let white = update["color_temperature"] {
                    #expect(white.object?.keys.sorted() == ["mirek", "mirek_valid"])
                }
                if let color = update["color"] { #expect(color.object.map { Array($0.keys) } == ["xy"]) }
                if let level = update["dimming"] { #expect(level.object.map { Array($0.keys) } == ["brightness"]) }
                picture[id] = JSONValue.object(known).overlaid(update)
            }
        }
        let missed = try home.documents.asRead.filter { picture[$0["id"]!] != $0 }
        #expect(missed.isEmpty)
    }

    @Test func `a frame has only the last value of each property`() async throws {
        var hub = EventHub()
        let stream = hub.open(after: nil).pieces
        hub.record(.update(old: Self.lamp(on: false, level: 10), new: Self.lamp(on: true, level: 20)))
        hub.record(.update(old: Self.lamp(on: true, level: 20), new: Self.lamp(on: true, level: 30)))
        hub.flush(at: Self.time)
        hub.close()
        let frames = await Self.frames(stream)
        #expect(frames.count == 1)
        #expect(try frames.first?.resources == [Self.lamp(on: true, level: 30)])
    }

    @Test func `a resource that is deleted and created again within a frame is an update`() async throws {
        var hub = EventHub()
        let stream = hub.open(after: nil).pieces
        hub.record(.delete(Self.lamp(on: true, level: 20)))
        hub.record(.add(Self.lamp(on: false, level: 30)))
        hub.flush(at: Self.time)
        hub.close()
        let containers = try await Self.frames(stream).flatMap { try $0.containers }
        #expect(containers.map { $0["type"] } == ["update"])
        #expect(containers.first?["data"] == [Self.lamp(on: false, level: 30)])
    }

    @Test func `a property that has not changed is not sent`() async throws {
        var hub = EventHub()
        let stream = hub.open(after: nil).pieces
        hub.record(.update(old: Self.lamp(on: true, level: 20), new: Self.lamp(on: true, level: 20)))
        hub.flush(at: Self.time)
        hub.record(.update(old: Self.lamp(on: true, level: 20), new: Self.lamp(on: true, level: 21)))
        hub.flush(at: Self.time)
        hub.close()
        let frames = await Self.frames(stream)
        #expect(frames.count == 1)
        let expected: JSONValue = ["id": "a", "type": "light", "dimming": ["brightness": 21]]
        #expect(try frames.first?.resources == [expected])
    }

    @Test func `a frame has the format of real bridges`() async throws {
        var hub = EventHub()
        let stream = hub.open(after: nil).pieces
        hub.record(.update(old: Self.lamp(on: false, level: 1), new: Self.lamp(on: true, level: 1)))
        hub.flush(at: Self.time)
        hub.close()
        var text = ""
        for await piece in stream { text += String(decoding: piece, as: UTF8.self) }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.prefix(3) == [": hi", "", "id: 1790000000:0"])
        #expect(lines[3].hasPrefix("data: [{"))
        #expect(lines.suffix(2) == ["", ""])
        let container = try #require(try Self.frames(in: text).first?.containers.first)
        #expect(container["type"] == "update")
        #expect(container["creationtime"] == "2026-09-21T14:13:20Z")
        #expect(container["id"]?.string?.wholeMatch(of: /[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}/) != nil)
    }

    @Test func `event ids rise, even within a second and when the clock is set back`() async {
        var hub = EventHub()
        let stream = hub.open(after: nil).pieces
        for (number, second) in [0, 0, 1, -100, 2].enumerated() {
            hub.record(.update(old: Self.lamp(on: true, level: number), new: Self.lamp(on: true, level: number + 1)))
            hub.flush(at: Self.time + Double(second))
        }
        hub.close()
        #expect(
            await Self.frames(stream).map(\.id) == [
                "1790000000:0", "1790000000:1", "1790000001:0", "1790000001:1", "1790000002:0",
            ])
    }

    @Test(arguments: [
        ("1790000017:0", [18, 19]), ("1790000019:0", []), ("1790000003:0", Array(5..<20)),
        ("1790000006:7", Array(7..<20)),
        ("1", []), ("nonsense", []), (nil, []),
    ]) func `a client that names its last id gets the newer frames, at most the last fifteen`(
        last: String?, seconds: [Int]
    ) async {
        var hub = EventHub()
        for second in 0..<20 {
            hub.record(.update(old: Self.lamp(on: true, level: second), new: Self.lamp(on: true, level: second + 1)))
            hub.flush(at: Self.time + Double(second))
        }
        let stream = hub.open(after: last).pieces
        hub.close()
        #expect(await Self.frames(stream).map(\.id) == seconds.map { "\(1_790_000_000 + $0):0" })
    }

    @Test func `a reboot ends the streams and forgets past frames`() async {
        var hub = EventHub()
        hub.record(.update(old: Self.lamp(on: true, level: 1), new: Self.lamp(on: true, level: 2)))
        hub.flush(at: Self.time)
        hub.close()
        #expect(hub.readers.isEmpty)
        let stream = hub.open(after: "1:0").pieces
        hub.close()
        #expect(await Self.frames(stream).isEmpty)
    }

    @Test func `readers that are gone or too slow are dropped`() async {
        var hub = EventHub(backlog: 4)
        do { _ = hub.open(after: nil) }
        let slow = hub.open(after: nil).pieces
        for level in 0..<3 {
            hub.record(.update(old: Self.lamp(on: true, level: level), new: Self.lamp(on: true, level: level + 1)))
            hub.flush(at: Self.time)
            #expect(hub.readers.count == 1)
        }
        hub.record(.update(old: Self.lamp(on: true, level: 3), new: Self.lamp(on: true, level: 4)))
        hub.flush(at: Self.time)
        #expect(hub.readers.isEmpty)
        // The buffered frames are still read; then the stream ends, and the client reconnects.
        #expect(await Self.frames(slow).count == 3)
    }

    private static func lamp(on: Bool, level: Int) -> JSONValue {
        ["id": "a", "type": "light", "on": ["on": .bool(on)], "dimming": ["brightness": .int(level)]]
    }

    private static func frames(_ stream: AsyncStream<[UInt8]>) async -> [ServerSentEvent] {
        var text = ""
        for await piece in stream { text += String(decoding: piece, as: UTF8.self) }
        return frames(in: text)
    }

    private static func frames(in text: String) -> [ServerSentEvent] {
        var parser = HueEventStream.parser
        return parser.read(text.utf8)
    }
}

extension JSONValue {
    /// Merges as clients do: feature by feature, property by property.
    fileprivate func overlaid(_ part: JSONValue) -> JSONValue {
        guard case let .object(mine) = self, case let .object(theirs) = part else { return part }
        return .object(mine.merging(theirs) { $0.overlaid($1) })
    }
}
