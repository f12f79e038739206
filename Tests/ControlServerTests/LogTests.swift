import ControlProtocol
import Foundation
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
