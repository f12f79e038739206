import ControlProtocol
import Foundation
import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import Testing

@testable import ControlServer

@Suite struct LogTests {
    @Test func `filters reach the journal`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            _ = try await server.send(.pin(target: "desk"))
            await server.clock.advance(by: .seconds(60))
            _ = try await server.send(.discover())
            func count(_ query: (Routes.Query, String)...) async throws -> Int {
                try await server.get(Routes.path(Routes.log, query), as: [LogBody].self).count
            }
            #expect(try await count() == 4)
            #expect(try await count((.feature, "dashboard")) == 2)
            #expect(try await count((.limit, "1")) == 1)
            #expect(try await count((.after, "1")) == 3)
            #expect(try await count((.since, "2026-09-21T14:14:20Z")) == 2)
            #expect(try await count((.since, "2026-09-21T14:14:20.001Z")) == 0)
            #expect(try await count((.since, "2026-09-21T16:14:20+02:00")) == 2)
        }
    }

    @Test func `entries are found by light, room, sender, cause and time`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            _ = try await server.send(.turn(to: .on, target: "@kitchen"))
            _ = try await server.send(.pin(target: "desk"))
            await server.clock.advance(by: .seconds(60))
            _ = try await server.send(.discover())
            func texts(_ query: (Routes.Query, String)...) async throws -> [String] {
                try await server.get(Routes.path(Routes.log, query), as: [LogBody].self).map(\.text)
            }
            #expect(try await texts((.target, "desk")) == ["pin Desk", "pin Desk"])
            #expect(try await texts((.target, "fan"), (.cause, "command")) == ["turn @Kitchen on", "turn @Kitchen on"])
            let kitchen = try await texts((.target, "@kitchen"))
            #expect(kitchen.contains("Sink is on") && !kitchen.contains("pin Desk"))
            #expect(try await texts((.target, "all")).contains("pin Desk"))
            #expect(try await texts((.by, "BRIDGE")).allSatisfy { !$0.hasPrefix("pin") })
            #expect(try await texts((.until, "2026-09-21T14:14:20Z")).allSatisfy { !$0.hasPrefix("discover") })
            #expect(try await texts((.cause, "wall")).isEmpty)
            // A light that has gone is asked for by its id.
            let gone = Light.ID(bridge: .sample, resource: "gone").description
            #expect(try await texts((.target, gone)) == [])
        }
    }

    @Test func `entries are found by a light whose bridge has not been read since lightd started`() async throws {
        let lost = Bridge.make(connection: .lost(since: .sample, because: .notPaired))
        let memory = Memory(unreadLights: [HomeFixture.desk.id: HomeFixture.desk])
        let state = AppState.make(bridges: [lost]).alter(by: .replacing(.memory(by: memory)))
        try await ServerFixture.run(in: state) { server in
            let answer = try await server.get(Routes.path(Routes.log, [(.target, "desk")]))
            #expect(answer.status == 200)
            #expect(try await server.get(Routes.path(Routes.log, [(.target, "sofa")])).status != 200)
        }
    }

    @Test(
        arguments: [
            (.target, "lamp", .noSuchTarget), (.cause, "magic", .invalid), (.until, "tomorrow", .invalid),
            (.target, "kitchen/lamp", .noSuchTarget),
        ] as [(Routes.Query, String, ErrorCode)])
    func `a filter that means nothing is refused`(field: Routes.Query, value: String, code: ErrorCode)
        async throws
    {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let answer = try await server.get(Routes.path(Routes.log, [(field, value)]))
            #expect(try answer.decoded(ErrorReply.self).error.code == code)
        }
    }

    @Test func `a follower gets what its filter lets through, and nothing else`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let client = try ClientFixture(server.address)
            let path = Routes.path(Routes.log, [(.target, "desk"), (.cause, "command")])
            #expect(try await client.open(path, ["Accept": "text/event-stream"]).status == 200)
            for target in ["sink", "desk", "fan"] { _ = try await server.send(.pin(target: target)) }
            let entries: [LogBody] = [try await client.event(.log), try await client.event(.log)]
            #expect(entries.map(\.text) == ["pin Desk", "pin Desk"])
            _ = try await server.send(.unpin(target: "sink"))
            _ = try await server.send(.unpin(target: "desk"))
            #expect(try await client.event(.log, LogBody.self).text == "unpin Desk")
        }
    }

    @Test func `a follower gets every new entry of its feature once`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            _ = try await server.send(.pin(target: "sink"))
            let client = try ClientFixture(server.address)
            let path = Routes.path(Routes.log, [(.feature, "dashboard")])
            #expect(try await client.open(path, ["Accept": "text/event-stream"]).status == 200)
            _ = try await server.send(.discover())
            _ = try await server.send(.pin(target: "desk"))
            let entries: [LogBody] = [try await client.event(.log), try await client.event(.log)]
            #expect(entries.map(\.number) == [5, 6])
            #expect(entries.map(\.text) == ["pin Desk", "pin Desk"])
            _ = try await server.send(.unpin(target: "desk"))
            #expect(try await client.event(.log, LogBody.self).number == 7)
        }
    }

    @Test func `a follower that has seen numbers above the newest is told so by a resync`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            _ = try await server.send(.pin(target: "sink"))
            for (after, isAhead) in [("0", false), ("1", false), ("700", true)] {
                let client = try ClientFixture(server.address)
                let path = Routes.path(Routes.log, [(.after, after), (.feature, "dashboard")])
                #expect(try await client.open(path, ["Accept": "text/event-stream"]).status == 200)
                if isAhead { #expect(try await client.event(.resync, ResyncBody.self).reason == "missed") }
                _ = try await server.send(.pin(target: "desk"))
                #expect(try await client.event(.log, LogBody.self).feature == "dashboard")
            }
        }
    }

    @Test func `a follower that names a start gets the entries after it first`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            for target in ["sink", "desk"] { _ = try await server.send(.pin(target: target)) }
            let client = try ClientFixture(server.address)
            _ = try await client.open(Routes.path(Routes.log, [(.after, "2")]), ["Accept": "text/event-stream"])
            _ = try await server.send(.unpin(target: "desk"))
            var numbers: [Int64] = []
            for _ in 3...6 { numbers.append(try await client.event(.log, LogBody.self).number) }
            #expect(numbers == [3, 4, 5, 6])
        }
    }

}
