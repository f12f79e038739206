import ControlProtocol
import Foundation
import Khipu
import Lighting
import LightingTestKit
import Testing

@testable import ControlServer

@Suite struct LogTests {
    @Test func `the log tells in words who asked and what came of it`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            _ = try await server.post(
                #"{"command":"turn","to":"on","target":"@kitchen","over":1500}"#, [Routes.clientHeader: "me"])
            let entries: [LogBody] = try await server.get(Routes.log)
            #expect(entries.map(\.number) == Array(1...Int64(entries.count)))
            #expect(entries[0].text == "turn @Kitchen on over 1.5 s")
            #expect(entries[0].holder == "me" && entries[0].ticket == 1 && entries[0].outcome == nil)
            let answer = try #require(entries.last { $0.outcome != nil })
            #expect(answer.text == "turn @Kitchen on" && answer.outcome == "succeeded" && answer.ticket == 1)
            #expect(entries.contains { $0.text == "Sink is on" && $0.ticket == nil })
            // Looking is not recorded.
            #expect(try await server.get(Routes.log, as: [LogBody].self).count == entries.count)
        }
    }

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

    @Test func `a follower hears every new entry once, and only of its feature`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            _ = try await server.send(.pin(target: "sink"))
            let client = try ClientFixture(server.place)
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

    @Test func `a follower who says from where gets what he missed first`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            for target in ["sink", "desk"] { _ = try await server.send(.pin(target: target)) }
            let client = try ClientFixture(server.place)
            _ = try await client.open(Routes.path(Routes.log, [(.after, "2")]), ["Accept": "text/event-stream"])
            _ = try await server.send(.unpin(target: "desk"))
            var numbers: [Int64] = []
            for _ in 3...6 { numbers.append(try await client.event(.log, LogBody.self).number) }
            #expect(numbers == [3, 4, 5, 6])
        }
    }

    @Test(arguments: [-1, 0, 999, 1000, 1_790_000_000_123, 253_402_300_799_999] as [Int64])
    func `a moment reads as it is written`(milliseconds: Int64) {
        let moment = Timestamp(milliseconds: milliseconds)
        #expect(Timestamp(iso8601: moment.iso8601) == moment)
    }

    @Test func `moments are written to the millisecond`() {
        #expect(Timestamp(milliseconds: 1_790_000_000_005).iso8601 == "2026-09-21T14:13:20.005Z")
        #expect(Timestamp(milliseconds: -1).iso8601 == "1969-12-31T23:59:59.999Z")
        #expect(Timestamp(iso8601: "2026-09-21T14:13:20") == nil)
        #expect(Timestamp(iso8601: "") == nil)
    }
}
