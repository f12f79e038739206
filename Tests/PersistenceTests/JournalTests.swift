import Foundation
import GRDB
import Khipu
import Lighting
import LightingTestKit
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import Persistence

@Suite struct JournalTests {
    let fixture: DatabaseFixture

    init() throws { fixture = try DatabaseFixture() }

    @Test(arguments: seeds(5)) func `listing equals filtering an array, after any writes, prunes, stops and kills`(
        seed: UInt64
    ) async throws {
        var random = SplitMix(seed: seed)
        let bound = random.oneOf([5, 40, 1000])
        var lives = Lives(fixture, .on(entries: bound, bytes: 1 << 25, flush: .seconds(3600)))
        var database = try await lives.begin()
        // What is saved is counted in order of its numbers, with what was pruned between two entries.
        var (saved, unsaved): ([(entry: Journal.Entry, isPruned: Bool)], [Journal.Entry]) = ([], [])
        var last: Int64 = 0
        for _ in 0..<150 {
            let dice = random.pick(13)
            switch dice {
            case 0, 1:
                if dice == 0 { await database.flush() } else { database = try await lives.begin(after: .stop) }
                // What is too many now is gone for good, also if newer entries are pruned later.
                saved = (saved + unsaved.map { ($0, false) }).suffix(bound)
                unsaved = []
            case 2:
                database = try await lives.begin(after: .kill)
                unsaved = []
            case 3 where random.pick(4) == 0:
                let time = Timestamp(milliseconds: Int64(random.pick(100)))
                #expect(await database.journal.prune(time) == .succeeded)
                for index in saved.indices where saved[index].entry.time < time { saved[index].isPruned = true }
                while saved.last?.isPruned == true { saved.removeLast() }
                unsaved.removeAll { $0.time < time }
            case 3, 4:
                let filter = Journal.Filter(
                    since: random.oneOf([nil, Timestamp(milliseconds: Int64(random.pick(100)))]),
                    after: random.oneOf([nil, Int64(random.pick(150))]),
                    feature: random.oneOf([nil] + Message.Feature.allCases), limit: random.oneOf([0, 1, 10, 1000])
                )
                let kept = (saved + unsaved.map { ($0, false) }).suffix(bound).filter { !$0.isPruned }.map(\.entry)
                let expected = kept.filter { $0.matches(filter) }
                #expect(try await database.journal.list(filter) == expected.suffix(filter.limit))
            default:
                database.journal.append(random.message(), Timestamp(milliseconds: Int64(random.pick(100))))
                let entry = try #require(try await database.journal.list(Journal.Filter(limit: 1)).last)
                #expect(entry.number > last)
                last = entry.number
                unsaved.append(entry)
            }
        }
        await database.flush()
        #expect(try await database.journal.list().count <= bound)
        await database.close()
    }

    @Test(arguments: seeds(5)) func `over any kills no number is given twice, and a follower misses no saved entry`(
        seed: UInt64
    ) async throws {
        var random = SplitMix(seed: seed)
        var lives = Lives(fixture, .on(entries: 10_000, bytes: 1 << 25, flush: .seconds(3600)))
        var database = try await lives.begin()
        var (written, last): (Int, Int64) = (0, 0)
        // What the follower was told, by number.
        var told: [Int64: Message] = [:]
        for _ in 0..<100 {
            switch random.pick(10) {
            case 0: await database.flush()
            case 1: database = try await lives.begin(after: random.oneOf([.stop, .kill, .kill]))
            case 2, 3:
                for entry in try await database.journal.list(Journal.Filter(after: last, limit: .max)) {
                    #expect(told.updateValue(entry.message, forKey: entry.number) == nil, "\(entry.number)")
                    last = entry.number
                }
            default:
                for _ in 0..<random.oneOf([1, 1, 1, 300]) {
                    written += 1
                    database.journal.append(.note("\(written)"), .sample)
                }
            }
        }
        database = try await lives.begin(after: .kill)
        for entry in try await database.journal.list(Journal.Filter(after: last, limit: .max)) {
            told[entry.number] = entry.message
        }
        for entry in try await database.journal.list() {
            #expect(told[entry.number] == entry.message, "missed \(entry)")
        }
        await database.close()
    }

    @Test func `numbers that a kill has skipped do not count as entries`() async throws {
        var lives = Lives(fixture, .on(entries: 10, bytes: 1 << 25, flush: .seconds(3600)))
        var database = try await lives.begin()
        for number in 1...8 { database.journal.append(.note("\(number)"), .sample) }
        await database.flush()
        database = try await lives.begin(after: .kill)
        for number in 9...12 { database.journal.append(.note("\(number)"), .sample) }
        let before = try await database.journal.list()
        #expect(before.map(\.message) == (3...12).map { .note("\($0)") })
        #expect(before[5].number == 8 && before[6].number > 1000)
        await database.flush()
        #expect(try await database.journal.list() == before)
        let check = await database.checks().last?.text
        #expect(check?.contains("on, 10 entries") == true, "\(check ?? "")")
        await database.close()
    }

    @Test(arguments: seeds(5)) func `what is stored is found by every filter that it matches, and by no other`(
        seed: UInt64
    ) async throws {
        var random = SplitMix(seed: seed)
        let database = try fixture.open()
        var all: [Journal.Entry] = []
        for number in 1...200 {
            let entry = Journal.Entry(
                number: Int64(number), time: Timestamp(milliseconds: Int64(random.pick(100))),
                message: random.pick(2) == 0 ? random.message() : random.report())
            all.append(entry)
            database.journal.append(entry.message, entry.time)
            if random.pick(20) == 0 { await database.flush() }
        }
        var found = 0
        for _ in 0..<60 {
            let filter = Journal.Filter(
                until: random.oneOf([nil, Timestamp(milliseconds: Int64(random.pick(100)))]),
                subject: random.oneOf([nil, random.subject()]),
                cause: random.oneOf([nil, nil] + Cause.Name.allCases),
                by: random.oneOf([
                    nil, nil, "it's", "küche", "KÜCHE", "夜", "💩", "[", "*?", "\"", "DESK", "drop%", "a\"B\\c",
                ]),
                limit: random.oneOf([1, 10, 1000]))
            let listed = try await database.journal.list(filter)
            #expect(listed == all.filter { $0.matches(filter) }.suffix(filter.limit), "\(filter)")
            found += listed.count
        }
        #expect(found > 100)
        await database.close()
    }

    /// Of a long journal, which takes many slices.
    private func long() async throws -> StateDatabase {
        let database = try fixture.open(.on(entries: 100_000, bytes: 1 << 25, flush: .seconds(3600)))
        for number in 0..<(40 * JournalReading.slice) {
            database.journal.append(.note("\(number)"), Timestamp(milliseconds: Int64(number)))
            if number.isMultiple(of: 5000) { await database.flush() }
        }
        await database.flush()
        return database
    }

    @Test func `a change of the archive passes those who read the journal, and a token's end too`() async throws {
        let database = try await long()
        let (order, note) = AsyncStream<String>.makeStream()
        for reader in 1...30 {
            _ = database.journal.list(Journal.Filter(by: "nobody \(reader)", limit: .max)) { _ in note.yield("read") }
        }
        database.tokens.drop(["panel"]) { _ in note.yield("revoked") }
        var ends: [String] = []
        for await end in order {
            ends.append(end)
            if ends.count == 31 { break }
        }
        #expect(ends.first == "revoked")
        await database.close()
    }

    @Test func `a list that is withdrawn is not read, or not read to its end`() async throws {
        let database = try await long()
        let (answers, answer) = AsyncStream<(Int, Result<[Journal.Entry], Failure>)>.makeStream()
        let withdrawals = (0..<30).map { place in
            database.journal.list(Journal.Filter(limit: .max)) { answer.yield((place, $0)) }
        }
        for withdraw in withdrawals.dropLast() { withdraw() }
        var read: [Int] = []
        var count = 0
        for await (place, result) in answers {
            if let entries = try? result.get() {
                read.append(place)
                #expect(entries.map(\.number) == Array(1...Int64(40 * JournalReading.slice)))
            }
            count += 1
            if count == withdrawals.count { break }
        }
        #expect(read == [29])
        // After the answer it means nothing.
        for withdraw in withdrawals { withdraw() }
        await database.close()
    }

    @Test func `who reads and writes at the same time misses nothing and finds nothing twice`() async throws {
        let database = try await long()
        async let before = database.journal.list()
        for number in 0..<10 {
            database.journal.append(.note("new \(number)"), .sample)
            await database.flush()
        }
        let numbers = try await before.map(\.number)
        #expect(numbers == Array(1...Int64(numbers.count)))
        await database.close()
    }

    @Test func `an entry keeps what the things in it were called`() async throws {
        let (scene, ticket) = (HomeFixture.relax.id, Ticket.unasked(from: "test", at: .sample))
        let message = Message.lighting(.recall(scene, over: .usual), ticket: ticket)
        let names = Journal.Names(of: message, in: HomeFixture.state)
        #expect(names.name(of: scene) == "Kitchen/Relax")
        var database = try fixture.open()
        database.journal.append(message, names, .sample)
        database.journal.append(.note("of nothing"), .sample)
        #expect(try await database.journal.list().map(\.names) == [names, Journal.Names()])
        await database.close()
        database = try fixture.open()
        #expect(try await database.journal.list().map(\.names) == [names, Journal.Names()])
        await database.close()
    }

    @Test func `a thousand messages are one transaction`() async throws {
        let database = try fixture.open()
        let before = try fixture.commits()
        for number in 1...1000 { database.journal.append(.note("\(number)"), .sample) }
        #expect(try fixture.commits() == before)
        await database.flush()
        #expect(try fixture.commits() == before + 1)
        await database.flush()
        #expect(try fixture.commits() == before + 1)
        #expect(try await database.journal.list().map(\.number) == Array(1...1000))
        await database.close()
    }

    @Test func `a sensor that chatters fills no batch, and the journal tells what it told last`() async throws {
        let database = try fixture.open()
        let unasked = Ticket.unasked(from: "bridge", at: .sample)
        let sensor = Sensor.ID(bridge: .sample, resource: "motion")
        func moved(_ number: Int) -> Message {
            .lighting(.reported(.sensor(sensor, Sensor.Report(motion: number % 2 == 0))), ticket: unasked)
        }
        for number in 0...400 {
            // At 20 Hz, and after that once a minute.
            database.journal.append(moved(number), .sample.advanced(by: .milliseconds(50 * number)))
            if number % 100 == 0 { database.journal.append(.note("\(number)"), .sample) }
        }
        for number in 1...20 { database.journal.append(moved(number), .sample.advanced(by: .seconds(60 * number))) }
        await database.flush()
        let entries = try await database.journal.list()
        #expect(entries.filter { $0.message.feature == .logging }.count == 5)
        let (chatter, quiet) = (entries.dropLast(20), entries.suffix(20))
        #expect(chatter.count - 5 <= 2 * JournalBuffer.mostReports + 1)
        #expect(chatter.last { $0.message.feature == .lighting }?.message == moved(400))
        #expect(quiet.map(\.message) == (1...20).map(moved))
        await database.close()
    }

    @Test(arguments: seeds(5)) func `entries that stand for several tell of each value what was told last`(
        seed: UInt64
    ) {
        var random = SplitMix(seed: seed)
        var (buffer, all): (JournalBuffer, [Message]) = (JournalBuffer(after: 0, capacity: 10_000), [])
        for step in 0..<300 {
            let message = random.value()
            all.append(message)
            buffer.append(message, Journal.Names(), at: .sample.advanced(by: .milliseconds(random.pick(2) + 20 * step)))
            if random.pick(40) == 0 { buffer.append(.note("\(step)"), Journal.Names(), at: .sample) }
        }
        let kept = buffer.unsaved.map(\.message)
        #expect(kept.count < 150)
        #expect(lastTold(kept) == lastTold(all))
    }

    /// Of each light and sensor, what was told last of each value.
    private func lastTold(_ messages: [Message]) -> [String: String] {
        var told: [String: String] = [:]
        func take(_ id: String, _ report: Any) {
            for (label, value) in Mirror(reflecting: report).children where label != "rotation" && label != "values" {
                let isOptional = "\(value)" == "nil"
                if !isOptional { told["\(id) \(label ?? "")"] = "\(value)" }
            }
        }
        for case let .lighting(.reported(update), _) in messages {
            switch update {
            case let .light(id, report):
                take("light \(id)", report)
                take("light \(id)", report.values)
            case let .sensor(id, report): take("sensor \(id)", report)
            default: break
            }
        }
        return told
    }

    @Test func `the oldest entries are deleted in the same transaction`() async throws {
        let database = try fixture.open(.on(entries: 10, bytes: 1 << 25, flush: .seconds(3600)))
        for number in 1...8 { database.journal.append(.note("\(number)"), .sample) }
        await database.flush()
        let before = try fixture.commits()
        for number in 9...25 { database.journal.append(.note("\(number)"), .sample) }
        #expect(try await database.journal.list().map(\.number) == Array(16...25))
        await database.flush()
        #expect(try fixture.commits() == before + 1)
        #expect(
            try fixture.read { try Int64.fetchAll($0, sql: "SELECT number FROM journal ORDER BY 1") } == Array(16...25))
        await database.close()
    }

    @Test func `the database stays within its maximum size, and keeps the newest entries`() async throws {
        let bytes = 1 << 20
        let database = try fixture.open(.on(entries: 1_000_000, bytes: bytes, flush: .seconds(3600)))
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        for number in 1...3000 {
            database.journal.append(.note(.filler + "\(number)"), .sample)
            if number % 50 == 0 {
                await database.flush()
                #expect(try fixture.read { try DatabaseSize.fetch($0).used } <= bytes)
            }
        }
        let kept = try await database.journal.list().map(\.number)
        #expect(kept == Array(3001 - Int64(kept.count)...3000))
        // A message takes a kilobyte, and a page holds three.
        #expect(kept.count > 500)
        await database.close()
        // What the last batch took beyond the bound, before as much was deleted.
        #expect(try fixture.size() <= bytes + 100_000)
        #expect(fixture.log.lines == [])
    }

    @Test func `other bounds count from the next batch on`() async throws {
        let database = try fixture.open(.on(entries: 10, bytes: 1 << 25, flush: .seconds(3600)))
        func numbers() throws -> [Int64] {
            try fixture.read { try Int64.fetchAll($0, sql: "SELECT number FROM journal ORDER BY 1") }
        }
        for number in 1...12 { database.journal.append(.note("\(number)"), .sample) }
        await database.flush()
        #expect(try numbers() == Array(3...12))
        database.apply(.on(entries: 4, bytes: 1 << 25, flush: .seconds(3600)))
        #expect(try numbers() == Array(3...12))
        database.journal.append(.note("13"), .sample)
        await database.flush()
        #expect(try numbers() == Array(10...13))
        database.apply(.on(entries: 6, bytes: 1 << 25, flush: .seconds(3600)))
        for number in 14...20 { database.journal.append(.note("\(number)"), .sample) }
        await database.flush()
        #expect(try numbers() == Array(15...20))
        await database.close()
    }

    @Test func `a journal far beyond its bounds is shortened in small steps, and its file is compacted`() async throws {
        let large = try fixture.open(.on(entries: 1_000_000, bytes: 1 << 30, flush: .seconds(3600)))
        #expect(await large.archive.keep(.pairing(.make())) == .succeeded)
        for number in 1...8000 { large.journal.append(.note(.filler + "\(number)"), .sample) }
        await large.close()
        let before = try fixture.size()
        #expect(before > 8 << 20)

        let database = try fixture.open(.on(entries: 1_000_000, bytes: 1 << 20, flush: .seconds(3600)))
        // The start has deleted nothing, and what is written meanwhile deletes about a megabyte.
        #expect(try fixture.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM journal") } == 8000)
        database.journal.append(.note("later"), .sample)
        await database.flush()
        let rest = try fixture.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM journal") } ?? 0
        #expect((6500..<8000).contains(rest))
        await database.maintain(pause: .zero)
        #expect(try fixture.size() <= 1 << 20)
        let kept = try await database.journal.list().map(\.number)
        #expect(kept.count > 500)
        #expect(kept == Array(8002 - Int64(kept.count)...8001))
        #expect(await database.archive.keep(.scenes(of: .sample, [.make()])) == .succeeded)
        #expect(fixture.log.lines.count == 1, "\(fixture.log.lines)")
        #expect(fixture.log.lines.first?.contains("shortened to its maximum size") == true)
        await database.close()
        #expect(try fixture.open().contents.pairings.count == 1)
    }

    @Test func `numbers of entries and tickets rise across restarts, even if everything was pruned`() async throws {
        var highest: UInt64 = 0
        for round in 1...5 {
            let database = try fixture.open(
                round == 3 ? .off : .on(entries: 100, bytes: 1 << 25, flush: .seconds(3600)))
            #expect(database.nextTicketNumber > highest)
            // More tickets than a block holds.
            highest = database.nextTicketNumber + 250_000
            for ticket in [highest, highest - 1] {
                database.journal.append(.note("", ticket: ticket), Timestamp(milliseconds: 1))
            }
            let expected: [Int64] = [[1, 2], [3, 4], [], [5, 6], [7, 8]][round - 1]
            #expect(try await database.journal.list().map(\.number) == expected)
            #expect(await database.journal.prune(.sample) == .succeeded)
            #expect(try await database.journal.list() == [])
            await database.close()
        }
    }

    @Test func `tickets issued without a journal before a kill are not issued again`() async throws {
        let database = try fixture.open(.off)
        #expect(database.nextTicketNumber == 1)
        let copy = try StateDatabase.open(
            directory: copied(), journal: .on(entries: 10, bytes: 1 << 25, flush: .seconds(1)),
            clock: fixture.time.clock,
            logger: fixture.log.logger
        )
        #expect(copy.nextTicketNumber > 1 << 32)
        await copy.close()
        await database.close()
    }

    @Test func `with the journal off nothing is written`() async throws {
        let database = try fixture.open(.off)
        var configuration = Configuration()
        configuration.readonly = true
        let watcher = try DatabaseQueue(path: fixture.database, configuration: configuration)
        func version() throws -> Int? { try watcher.inDatabase { try Int.fetchOne($0, sql: "PRAGMA data_version") } }
        let (files, first) = (try fixture.files(), try version())
        for number in 1...30_000 { database.journal.append(.note("\(number)", ticket: UInt64(number)), .sample) }
        await database.flush()
        #expect(try await database.journal.list() == [])
        #expect(try fixture.files() == files)
        #expect(try version() == first)
        // The archive still writes.
        #expect(await database.archive.keep(.pairing(.make())) == .succeeded)
        #expect(try fixture.files() != files)
        #expect(try version() != first)
        await database.close()
        #expect(try fixture.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM journal") } == 0)
    }

    @Test func `a write failure is logged once, memory stays bounded, and recovery is logged`() async throws {
        let database = try fixture.open(buffer: 100)
        try fixture.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON journal BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END")
        for number in 1...500 {
            database.journal.append(.note("\(number)"), .sample)
            if number % 40 == 0 { await database.flush() }
        }
        let kept = try await database.journal.list().map(\.number)
        #expect(kept.count <= 100 && kept.count > 90)
        #expect(kept == Array((501 - Int64(kept.count))...500))
        #expect(fixture.log.lines.count == 2)
        #expect(fixture.log.lines.first?.contains("the disk is on fire") == true)
        try fixture.execute("DROP TRIGGER refuse")
        await database.flush()
        #expect(fixture.log.lines.count == 3)
        #expect(fixture.log.lines.last?.contains("written again lost=\(500 - kept.count)") == true)
        await database.close()
        let again = try fixture.open()
        #expect(try await again.journal.list().map(\.number) == kept)
        await again.close()
    }

    @Test func `appending does not wait while another connection locks the database`() async throws {
        let database = try fixture.open(buffer: 100)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let holder = try DatabaseQueue(path: fixture.database, configuration: configuration)
        try holder.inDatabase { try $0.beginTransaction(.immediate) }
        for number in 1...90 { database.journal.append(.note("\(number)"), .sample) }
        // Waiting would have ended in a busy timeout, which would be logged.
        #expect(fixture.log.lines.isEmpty)
        try holder.inDatabase { try $0.rollback() }
        #expect(try await database.journal.list().count == 90)
        await database.close()
    }

    @Test func `a half-full buffer is written before its interval has passed`() async throws {
        let database = try fixture.open(buffer: 1000)
        for number in 1...600 { database.journal.append(.note("\(number)"), .sample) }
        #expect(try await database.journal.list().map(\.number) == Array(1...600))
        #expect(try fixture.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM journal") } ?? 0 >= 500)
        await database.close()
    }

    @Test func `an entry that cannot be decoded does not hide others`() async throws {
        let database = try fixture.open()
        for number in 1...3 { database.journal.append(.note("\(number)"), .sample) }
        await database.flush()
        try fixture.execute("UPDATE journal SET message = '{\"curtains\":{}}' WHERE number = 2")
        #expect(try await database.journal.list().map(\.number) == [1, 3])
        #expect(fixture.log.lines.count == 1)
        await database.close()
    }

    @Test func `the service writes at intervals, and the rest at the end`() async throws {
        let (intervals, interval) = AsyncStream<Duration>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let database = try StateDatabase(
            fixture.directory, .on(entries: 100, bytes: 1 << 25, flush: .seconds(2)), fixture.time.clock,
            fixture.log.logger, bufferCapacity: 100
        ) { duration in
            interval.yield(duration)
            for await _ in ends { return }
            try Task.checkCancellation()
        }
        func count() throws -> Int? { try fixture.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM journal") } }
        let group = ServiceGroup(services: [database], logger: fixture.log.logger)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await group.run() }
            var begun = intervals.makeAsyncIterator()
            database.journal.append(.note("first"), .sample)
            #expect(await begun.next() == .seconds(2))
            #expect(try count() == 0)
            end.yield()
            try await until("the first is written") { try count() == 1 }
            // Had it been added before, it could have been written with the first.
            database.journal.append(.note("last"), .sample)
            #expect(await begun.next() == .seconds(2))
            #expect(try count() == 1)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        // The directory is unlocked.
        let again = try fixture.open()
        #expect(try await again.journal.list().map(\.number) == [1, 2])
        await again.close()
    }

    @Test(arguments: [JournalPolicy.off, .on(entries: 10, bytes: 1 << 25, flush: .seconds(3600))])
    func `the service writes and ends when it is cancelled`(policy: JournalPolicy) async throws {
        let database = try fixture.open(policy)
        database.journal.append(.note("last"), .sample)
        let task = Task { try await database.run() }
        task.cancel()
        try await task.value
        #expect(
            try fixture.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM journal") } == (policy == .off ? 0 : 1))
    }

    /// Copies the files, as a killed process would leave them.
    private func copied() throws -> String {
        let copy = fixture.root + "/copy"
        try FileManager.default.copyItem(atPath: fixture.directory, toPath: copy)
        return copy
    }
}

/// A database in several lives of lightd, each in a directory of its own with the files that the last one has left.
private struct Lives {
    enum End { case stop, kill }

    private let fixture: DatabaseFixture
    private let policy: JournalPolicy
    private var current: StateDatabase?
    private var count = 0

    init(_ fixture: DatabaseFixture, _ policy: JournalPolicy) {
        self.fixture = fixture
        self.policy = policy
    }

    mutating func begin(after end: End = .stop) async throws -> StateDatabase {
        let (last, next) = ("\(fixture.root)/life-\(count)", "\(fixture.root)/life-\(count + 1)")
        if end == .stop { await current?.close() }
        if count > 0 { try FileManager.default.copyItem(atPath: last, toPath: next) }
        if end == .kill { await current?.close() }
        count += 1
        let database = try StateDatabase(next, policy, fixture.time.clock, fixture.log.logger, bufferCapacity: 10_000)
        current = database
        return database
    }
}

extension String {
    /// A kilobyte.
    fileprivate static var filler: Self { Self(repeating: "x", count: 1000) }
}
