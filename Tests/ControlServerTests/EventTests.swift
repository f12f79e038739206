import ControlProtocol
import Foundation
import Khipu
import Lighting
import LightingTestKit
import NIOCore
import ServerSentEvents
import TestSupport
import Testing

@testable import ControlServer
@testable import ControlSurface

@Suite struct EventTests {
    @Test func `a stream begins with resync and sends a change at once`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            let client = try ClientFixture(server.address)
            let answer = try await client.open(Routes.events)
            #expect(answer.status == 200 && answer.headers["content-type"] == "text/event-stream")
            #expect(try await client.event(.resync, ResyncBody.self).reason == "connected")
            server.stack.tell(.light(HomeFixture.desk.id, Light.Report(brightness: 0.75)))
            // The room comes before the light that is in it.
            let room: RoomBody = try await client.event(.room)
            #expect(room.name == "Study" && room.brightness == 75)
            #expect(try await client.event(.room, RoomBody.self).name == "Evening")
            let light: LightBody = try await client.event(.light)
            #expect(light.name == "Desk" && light.brightness == 75 && light.room == "Study")
        }
    }

    @Test func `only what was added, removed or renamed is sent`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let client = try ClientFixture(server.address)
            _ = try await client.open(Routes.events)
            _ = try await client.event()
            await server.change(
                .removing(.light(HomeFixture.fan.id)),
                .updating(.scene(HomeFixture.relax.id, by: .renaming(.it(to: "Rest")))))
            #expect(try await client.event(.removed) == RemovedBody(kind: "light", id: HomeFixture.fan.id.description))
            #expect(try await client.event(.bridge, BridgeBody.self).lights == 3)
            #expect(try await client.event(.room, RoomBody.self).on == 1)
            #expect(try await client.event(.scene, SceneBody.self).name == "Rest")
            await server.change(.updating(.room(HomeFixture.study.id, by: .renaming(.it(to: "Library")))))
            #expect(try await client.event(.room, RoomBody.self).name == "Library")
            #expect(try await client.event(.light, LightBody.self).room == "Library")
            await server.change(.updating(.dashboard(by: .pinning(.it(.all)))))
            #expect(try await client.event(.dashboard, [PinBody].self).map(\.target) == ["all"])
            await server.change(
                .updating(
                    .bridge(.sample, by: .losing(.it(at: .sample, because: .unreachable(.sample, because: "gone"))))))
            #expect(try await client.event(.bridge, BridgeBody.self).reason == "gone")
        }
    }

    @Test func `event ids rise, even from one stream to the next`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            var last = 0
            for round in 1...2 {
                let client = try ClientFixture(server.address)
                _ = try await client.open(Routes.events)
                for step in 0..<3 {
                    let event = try #require(try await client.event())
                    let id = try #require(event.id.flatMap { Int($0) })
                    #expect(id > last || (step == 0 && id == last))
                    last = id
                    if step == 0 {
                        await server.change(
                            .updating(.light(HomeFixture.stove.id, by: [.renaming(.it(to: "Stove \(round)"))])),
                            .updating(.light(HomeFixture.sink.id, by: [.renaming(.it(to: "Sink \(round)"))])))
                    }
                }
            }
        }
    }

    @Test func `a client that reconnects gets what it has missed, once`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let client = try ClientFixture(server.address)
            _ = try await client.open(Routes.events)
            let resync = try #require(try await client.event()?.id)
            func names(since id: String) async throws -> [String] {
                let client = try ClientFixture(server.address)
                _ = try await client.open(Routes.events, ["Last-Event-ID": id])
                await server.change(.updating(.dashboard(by: .pinning(.it(.light(HomeFixture.desk.id))))))
                var names: [String] = []
                while let event = try await client.event(), event.name != EventName.dashboard.rawValue {
                    names.append(
                        event.name == EventName.light.rawValue
                            ? try JSONDecoder().decode(LightBody.self, from: Data(event.data.utf8)).name : event.name)
                }
                await server.change(.updating(.dashboard(by: .unpinning(.it(.light(HomeFixture.desk.id))))))
                return names
            }
            #expect(try await names(since: resync) == [])
            for name in ["Oven", "Grill"] {
                await server.change(.updating(.light(HomeFixture.stove.id, by: [.renaming(.it(to: name))])))
            }
            // The newest state, not every step on the way.
            #expect(try await names(since: resync) == ["Grill"])
        }
    }

    @Test(arguments: ["17", "of another kind", "", "-9223372036854775808", "9223372036854775807", "1e3"])
    func `a client with an unknown id learns that it may have missed something`(id: String) async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let client = try ClientFixture(server.address)
            try await client.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: \(id)\r\n\r\n")
            _ = try await client.answer(hasBody: false)
            #expect(try await client.event(.resync, ResyncBody.self).reason == "missed")
        }
    }

    @Test func `a client that saw only a part of a change learns that it has missed the rest`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let client = try ClientFixture(server.address)
            _ = try await client.open(Routes.events)
            _ = try await client.event()
            await server.change(
                .updating(.light(HomeFixture.stove.id, by: [.renaming(.it(to: "Oven"))])),
                .updating(.light(HomeFixture.sink.id, by: [.renaming(.it(to: "Basin"))])))
            let part = try #require(try await client.event()?.id)
            let again = try ClientFixture(server.address)
            _ = try await again.open(Routes.events, ["Last-Event-ID": part])
            #expect(try await again.event(.resync, ResyncBody.self).reason == "missed")
        }
    }

    @Test func `a client that does not read delays no other, and gets the newest state`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let (slow, quick) = (try ClientFixture(server.address), try ClientFixture(server.address))
            _ = try await slow.open(Routes.events)
            _ = try await quick.open(Routes.events)
            _ = try await (slow.event(), quick.event())
            await server.fillBuffers()
            var newest = ""
            while !newest.hasPrefix("\(ServerFixture.manyChanges) ") {
                newest = try await quick.event(.light, LightBody.self).name
            }
            var count = 0
            newest = ""
            while !newest.hasPrefix("\(ServerFixture.manyChanges) ") {
                newest = try await slow.event(.light, LightBody.self).name
                count += 1
            }
            #expect(count < ServerFixture.manyChanges)
        }
    }

    /// Each of them lets 8 MB pass: without a bound they would hold half a gigabyte.
    @Test func `readers who do not read hold up no command, and cost little memory`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            var readers: [ClientFixture] = []
            for _ in 0..<64 {
                let reader = try ClientFixture(server.address)
                #expect(try await reader.open(Routes.events).status == 200)
                readers.append(reader)
            }
            let before = try resident()
            await server.fillBuffers()
            #expect(try await server.post(#"{"command":"toggle","target":"stove"}"#).status == 200)
            #expect(try resident() - before < 128 << 20)
            // None of them was given up, and none gets an old state last.
            for reader in readers {
                var newest = ""
                while !newest.hasPrefix("\(ServerFixture.manyChanges) ") {
                    let event = try #require(try await reader.event(), "a stream has ended")
                    guard event.name == EventName.light.rawValue else { continue }
                    newest = try JSONDecoder().decode(LightBody.self, from: Data(event.data.utf8)).name
                }
            }
        }
    }

    /// In bytes.
    private func resident() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
        return try #require(Int(pages)) * Int(getpagesize())
    }

    @Test func `a comment is sent after every 15 s without changes`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let client = try ClientFixture(server.address)
            _ = try await client.open(Routes.events)
            _ = try await client.piece()
            for _ in 1...2 {
                await server.clock.advance(by: .seconds(15))
                #expect(try await client.piece() == ":\n\n")
            }
        }
    }

    @Test func `streams are limited, and the end of one makes room for another`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, maximumStreams: 2) { server in
            let one = try ClientFixture(server.address)
            _ = try await one.open(Routes.events)
            try await withSecondStream(server)
            try await until("a stream is accepted") {
                let client = try ClientFixture(server.address)
                return try await client.open(Routes.events).status == 200
            }
        }
    }

    private func withSecondStream(_ server: ServerFixture) async throws {
        let two = try ClientFixture(server.address)
        #expect(try await two.open(Routes.log, ["Accept": "text/event-stream"]).status == 200)
        let third = try await server.get(Routes.events)
        #expect(third.status == 503)
        #expect(try third.error.message.contains("2 streams"))
    }
}
