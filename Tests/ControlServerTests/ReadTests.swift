import ControlProtocol
import Dispatch
import Foundation
import Khipu
import Lighting
import LightingTestKit
import Testing

@testable import ControlServer

/// What takes long to read: it ends with its client, and is bounded.
@Suite struct ReadTests {
    /// Fulfilled checks, and how often somebody asked for them.
    private static func diagnosed(
        _ began: Promise<Void>, _ ended: Promise<Void>
    ) -> @Sendable ([Bridge]) async -> [Check] {
        { _ in
            began.fulfil()
            // Only the end of its client ends it.
            try? await Promise<Void>().value
            ended.fulfil()
            return []
        }
    }

    @Test func `a read ends when its client closes the connection`() async throws {
        let (began, ended) = (Promise<Void>(), Promise<Void>())
        try await ServerFixture.run(in: HomeFixture.state, checks: Self.diagnosed(began, ended)) { server in
            var client: ClientFixture? = try ClientFixture(server.address)
            try await client?.send("GET \(Routes.diagnosis) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await began.value
            client = nil
            try await ended.value
        }
    }

    @Test func `a read ends when its client has closed its side, and the rest of the connection is closed`()
        async throws
    {
        let (began, ended) = (Promise<Void>(), Promise<Void>())
        try await ServerFixture.run(in: HomeFixture.state, checks: Self.diagnosed(began, ended)) { server in
            let client = try ClientFixture(server.address)
            try await client.send("GET \(Routes.diagnosis) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await began.value
            client.endSending()
            let answer = try await client.answer()
            #expect(answer.status == 503 && answer.headers["connection"] == "close")
            try await ended.value
        }
    }

    @Test func `of those who share a read another goes on if the one who does it leaves`() async throws {
        let work = SharedWork<Int, Int>()
        let begun = Promise<Void>()
        let first = Task {
            try await work.value(for: 1) {
                begun.fulfil()
                try await Promise<Void>().value
                return 1
            }
        }
        try await begun.value
        let second = Task { try await work.value(for: 1) { 2 } }
        while work.waiting == 0 { await Task.yield() }
        first.cancel()
        #expect(try await second.value == 2)
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(try await work.value(for: 2) { 3 } == 3)
    }

    @Test func `one client's reads are bounded, a large one counts as several, and what has ended counts no more`()
        throws
    {
        let limit = ConcurrencyLimit<String>(32, ofClient: 16)
        var permits = [try limit.enter("a", weight: 10, "reads"), try limit.enter("a", weight: 6, "reads")]
        #expect(throws: APIError.self) { try limit.enter("a", "reads") }
        permits.append(try limit.enter("b", weight: 10, "reads"))
        #expect(throws: APIError.self) { try limit.enter(nil, weight: 7, "reads") }
        permits.append(try limit.enter(nil, weight: 6, "reads"))
        permits = []
        permits = [try limit.enter("a", weight: 16, "reads"), try limit.enter("b", weight: 16, "reads")]
        #expect(permits.count == 2)
    }

    @Test func `answers that nobody takes count until their client has left`() async throws {
        // Three of them may take longer than lightd waits for one that takes nothing.
        let timeouts = ConnectionTimeouts(write: .seconds(3600))
        try await ServerFixture.run(in: HomeFixture.state, timeouts: timeouts) { server in
            let text = String(repeating: "x", count: 400)
            for number in 0..<10_000 {
                server.home.journal.journal.append(
                    .logging(
                        .write(.info, text), ticket: Ticket(number: UInt64(number), holder: "a test", time: .sample)),
                    Journal.Names(), .sample)
            }
            let path = Routes.path(Routes.log, [(.limit, "10000")])
            var slow: [ClientFixture] = []
            for _ in 0..<3 {
                let client = try ClientFixture(server.address)
                #expect(try await client.open(path).status == 200)
                slow.append(client)
            }
            let refused = try await server.get(path)
            #expect(refused.status == 503)
            if refused.status == 503 {
                #expect(try refused.error.message.contains("reads of this client are under way"))
            }
            #expect(try await server.get(Routes.path(Routes.log, [(.limit, "1")])).status == 200)
            slow = []
            // It notices when the system tells it.
            while try await server.get(path).status == 503 { await Task.yield() }
        }
    }

    @Test func `a stream goes on while a large file is checked`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let (began, mayEnd) = (Promise<Void>(), DispatchSemaphore(value: 0))
            defer { mayEnd.signal() }
            server.backups.whileExamining {
                began.fulfil()
                mayEnd.wait()
            }
            let stream = try ClientFixture(server.address)
            _ = try await stream.open(Routes.events)
            _ = try await stream.event()
            async let answer = server.put(
                "lightd-backup 1.2.3 true\n", to: Routes.path(Routes.backup, [(.dryRun, "true")]))
            try await began.value
            await server.change(.updating(.light(HomeFixture.desk.id, by: [.renaming(.it(to: "Table"))])))
            #expect(try await stream.event() != nil)
            mayEnd.signal()
            #expect(try await answer.status == 200)
        }
    }

    @Test func `what is looked for in names is short`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let long = try await server.get(Routes.path(Routes.log, [(.by, String(repeating: "é", count: 101))]))
            #expect(try long.status == 400 && long.error.message.contains("'by' is too long"))
            #expect(try await server.get(Routes.path(Routes.log, [(.by, "💩")])).status == 200)
        }
    }
}
