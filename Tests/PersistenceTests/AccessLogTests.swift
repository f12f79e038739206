import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import Persistence

@Suite struct AccessLogTests {
    let fixture: DatabaseFixture

    init() throws { fixture = try DatabaseFixture() }

    private static func event(
        _ kind: AccessEvent.Kind = .tokenCreated, after duration: Duration = .zero, _ subject: String = "panel"
    ) -> AccessEvent {
        AccessEvent(
            kind, at: .sample.advanced(by: duration), by: #"anna (uid 1000) with curl as "Küche 🏠""#, about: subject,
            because: "why", hasFailed: kind == .refused, count: kind == .refused ? 12 : 1)
    }

    private static let day = Duration.seconds(86_400)

    @Test func `events survive a restart and a process that is killed, in order`() async throws {
        let database = try fixture.open()
        let events = [Self.event(), Self.event(.refused, after: .seconds(1)), Self.event(.restore, after: .seconds(2))]
        for event in events { database.accessLog.append(event) }
        #expect(try await database.accessLog.list() == events)
        // What another process sees now is what is left after a kill.
        #expect(try fixture.read { try AccessEvent.fetch(.init(limit: 9), limit: 9, $0) } == events)
        await database.close()
        let again = try fixture.open()
        #expect(try await again.accessLog.list() == events)
        #expect(try await again.accessLog.list(.init(limit: 2)) == Array(events.suffix(2)))
        let second = events[1].time
        #expect(try await again.accessLog.list(.init(since: second, limit: 9)) == Array(events.suffix(2)))
        #expect(try await again.accessLog.list(.init(until: second, limit: 9)) == [events[0]])
        await again.close()
    }

    @Test func `nothing is dropped before 90 days, and nothing of the newest rows`() async throws {
        let database = try fixture.open()
        let store = AccessLogStore(database.database, keptRows: 2, report: { _ in }, reportLoss: { _ in })
        func days(_ event: AccessEvent) -> Int64 {
            (event.time.milliseconds - Timestamp.sample.milliseconds) / 86_400_000
        }
        for day in [0, 1, 2, 89, 90] { store.log.append(Self.event(after: Self.day * day)) }
        #expect(try await store.log.list().map(days) == [0, 1, 2, 89, 90])
        store.log.append(Self.event(after: Self.day * 92))
        // Older than 90 days are 0 and 1; 2 is just as old.
        #expect(try await store.log.list().map(days) == [2, 89, 90, 92])
        // A clock that is years ahead, as without a battery, takes all but the newest.
        store.log.append(Self.event(after: Self.day * 5000))
        #expect(try await store.log.list().map(days) == [92, 5000])
        await database.close()
    }

    @Test func `pruning the journal, a restore and its bounds leave the access log alone`() async throws {
        var database = try fixture.open()
        database.accessLog.append(Self.event(.backupWithKeys))
        database.journal.append(.note("old"), .sample)
        await database.flush()
        #expect(await database.journal.prune(.sample.advanced(by: Self.day)) == .succeeded)
        #expect(try await database.journal.list().isEmpty)
        let file = try await database.backups.make(true, "1", .sample)
        #expect(!String(decoding: file, as: UTF8.self).contains("access\":["))
        _ = try await database.backups.restore(file)
        database.accessLog.append(Self.event(.restore))
        await database.close()
        database = try fixture.open()
        #expect(database.restoration == .done)
        #expect(try await database.accessLog.list().map(\.kind) == [.backupWithKeys, .restore])
        // It does not count among what bounds the journal.
        #expect(try fixture.read { try AccessEvent.size($0) } == 400)
        await database.close()
    }

    @Test func `what cannot be written is in memory, is said once, and is written later`() async throws {
        let database = try fixture.open()
        try fixture.execute("CREATE TRIGGER no BEFORE INSERT ON access BEGIN SELECT RAISE(ABORT, 'no'); END")
        for second in 0..<3 { database.accessLog.append(Self.event(after: .seconds(second))) }
        #expect(try await database.accessLog.list().count == 3)
        #expect(try fixture.read { try AccessEvent.fetch(.init(limit: 9), limit: 9, $0) } == [])
        #expect(
            fixture.log.lines.count == 1 && fixture.log.lines[0].contains("cannot be written"), "\(fixture.log.lines)")
        try fixture.execute("DROP TRIGGER no")
        await database.close()
        #expect(try fixture.read { try AccessEvent.fetch(.init(limit: 9), limit: 9, $0) }.count == 3)
    }

    @Test func `memory is bounded while the disk accepts nothing, and the loss is told`() async throws {
        let database = try fixture.open()
        try fixture.execute("CREATE TRIGGER no BEFORE INSERT ON access BEGIN SELECT RAISE(ABORT, 'no'); END")
        let lost = Live(0)
        let store = AccessLogStore(database.database, capacity: 5, report: { _ in }, reportLoss: { lost.value = $0 })
        for second in 0..<8 { store.log.append(Self.event(after: .seconds(second))) }
        #expect(try await store.log.list().map(\.time) == (3..<8).map { .sample.advanced(by: .seconds($0)) })
        #expect(await !store.flush())
        try fixture.execute("DROP TRIGGER no")
        #expect(await store.flush())
        #expect(lost.value == 3)
        await database.close()
    }

    @Test func `damage of the access log ends it alone, and delays no start`() async throws {
        var database = try fixture.open()
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        database.accessLog.append(Self.event())
        await database.close()
        try fixture.scramble(table: "access")
        database = try fixture.open()
        #expect(database.contents.pairings.count == 1)
        await database.maintain()
        database.accessLog.append(Self.event(.restore))
        #expect(try await database.accessLog.list().map(\.kind) == [.restore])
        await database.close()
    }

    @Test func `a database of an earlier lightd begins an access log`() async throws {
        let old = try fixture.open()
        await old.close()
        try fixture.execute("DROP TABLE access")
        try fixture.execute("DELETE FROM grdb_migrations WHERE identifier LIKE 'access log%'")
        let new = try fixture.open()
        new.accessLog.append(Self.event())
        #expect(try await new.accessLog.list().count == 1)
        await new.close()
    }
}

extension AccessLog {
    func list(_ filter: Filter = Filter(limit: 1000)) async throws -> [AccessEvent] {
        try await withCheckedContinuation { waiting in list(filter) { waiting.resume(returning: $0) } }.get()
    }
}
