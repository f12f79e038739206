import Executors
import GRDB
import Khipu
import Lighting
import Logging
import Synchronization

/// The journal on the database. Entries are buffered in memory and written in batches, one transaction each.
final class JournalStore: Sendable {
    private struct State {
        var buffer: JournalBuffer
        /// As they are saved.
        var numbers: JournalNumbers
        /// A batch was queued before its interval passed.
        var isFlushQueued = false
        /// The last batch failed.
        var hasFailed = false
        /// The loss of entries was logged.
        var hasReportedLoss = false
    }

    private let database: SerialDatabase
    private let settings: Live<(bounds: JournalBounds, interval: Duration)>
    private let sleep: @Sendable (Duration) async throws -> Void
    private let memory: MemoryStore
    private let health: WriteHealth
    private let logger: Logger
    private let state: Mutex<State>
    /// Yields when entries wait to be written.
    private let due: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    init(
        _ database: SerialDatabase, bounds: JournalBounds, flush interval: Duration, numbers: JournalNumbers,
        capacity: Int, memory: MemoryStore, health: WriteHealth, logger: Logger,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.database = database
        settings = Live((bounds, interval))
        self.sleep = sleep
        self.memory = memory
        self.health = health
        self.logger = logger
        let buffer = JournalBuffer(after: numbers.entries.floor, capacity: capacity)
        state = Mutex(State(buffer: buffer, numbers: numbers))
        (due, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    private var bounds: JournalBounds { settings.value.bounds }
    private var interval: Duration { settings.value.interval }

    /// From the next batch on.
    func apply(bounds: JournalBounds, flush interval: Duration) { settings.value = (bounds, interval) }

    var journal: Journal {
        Journal(append: append, list: list, prune: prune, pastUsage: pastUsage)
    }

    /// Takes what the next batch writes of what is remembered.
    @Sendable func remember(_ memory: Memory) {
        self.memory.remember(memory)
        // Otherwise it is written with the entries that wait.
        if unsavedCount == 0 { wakeUp.yield() }
    }

    /// Writes at most once per interval, until its task is cancelled. Does nothing while no entries arrive.
    func run() async {
        for await _ in due {
            // Cancelled: `StateDatabase.close` writes the rest.
            guard (try? await sleep(interval)) != nil else { return }
            await flush()
        }
    }

    /// Writes the buffered entries. If that fails, logs why and keeps them.
    func flush() async {
        // `save` handles its own failures. The other one is `closed`, before which everything was written.
        _ = await database.perform { self.save($0) }
    }

    /// Writes the buffered entries, after which none comes, so that the next start goes on with the next number.
    func finish() async {
        _ = await database.perform { self.save($0, isLast: true) }
    }

    /// Brings a journal within its bounds that was written with wider ones, or by a version without them: in small
    /// steps, between which other work on the database gets its turn, and then compacts the file.
    func shrink(pause: Duration) async throws(PersistenceError) {
        while try await !trimStep() {
            guard (try? await QueueTimer.sleep(for: pause)) != nil else { return }  // cancelled
        }
        try await compact()
    }

    private func trimStep() async throws(PersistenceError) -> Bool {
        try await database.perform { [bounds] db in
            var isWithin = true
            try db.writeJournal { isWithin = try Journal.Entry.trim(to: bounds, quota: Self.step, db) }
            return isWithin
        }.get()
    }

    /// Copies what is left of a file that was far larger than its bound, once: as much as the bound at most.
    private func compact() async throws(PersistenceError) {
        let compacted = try await database.perform { [bounds] db -> (from: Int, to: Int)? in
            let before = try DatabaseSize.fetch(db)
            guard before.isWasteful(within: bounds.bytes) else { return nil }
            try db.execute(sql: "VACUUM")
            // The file shrinks with the next checkpoint, and another reader may delay that.
            _ = try? db.checkpoint(.truncate)
            return (before.file, try DatabaseSize.fetch(db).file)
        }.get()
        if let (from, to) = compacted {
            logger.notice(
                "the journal was shortened to its maximum size", metadata: ["from": "\(from)", "to": "\(to)"])
        }
    }

    /// How much one step deletes, in bytes. A few milliseconds' work, also on an SD card.
    private static let step = 1 << 20

    var unsavedCount: Int { state.withLock { $0.buffer.unsaved.count } }
    /// How many entries were dropped since the database was opened, because it did not take them in time.
    var lostCount: Int { state.withLock { $0.buffer.lostInAll } }

    @Sendable private func append(_ message: Message, _ names: Journal.Names, _ time: Timestamp) {
        let (isFirst, needsFlush, lost) = state.withLock { state in
            state.buffer.append(message, names, at: time)
            let isDue = state.buffer.isHalfFull || message.isAnswerToCommand
            let needsFlush = isDue && !state.isFlushQueued && !state.hasFailed
            if needsFlush { state.isFlushQueued = true }
            let lost = state.hasReportedLoss ? 0 : state.buffer.lost
            if lost > 0 { state.hasReportedLoss = true }
            return (state.buffer.unsaved.count == 1, needsFlush, lost)
        }
        if isFirst { wakeUp.yield() }
        if needsFlush {
            database.perform {
                self.save($0)
            } then: { _ in
            }
        }
        if lost > 0 {
            logger.warning("the journal buffer is full; dropping its oldest unsaved entries")
        }
    }

    @Sendable private func list(
        _ filter: Journal.Filter, _ reply: @escaping Reply<Result<[Journal.Entry], Failure>>
    ) -> Journal.Withdrawal {
        let reading = JournalReading(filter)
        database.read(inSlices: { try self.slice(of: reading, $0) }) { result in
            reply(result.mapError { .invalid("the journal cannot be read: \($0)") })
        }
        return reading.withdraw
    }

    @Sendable private func prune(_ time: Timestamp, _ reply: @escaping Reply<Outcome>) {
        database.perform { db in
            try db.writeJournal { try Journal.Entry.delete(before: time, db) }
            self.state.withLock { $0.buffer.remove(before: time) }
        } then: { result in
            reply(result.outcome)
        }
    }

    /// What the entries say that ``list`` does not find any more.
    @Sendable private func pastUsage(_ reply: @escaping Reply<Result<UsageTally, Failure>>) {
        database.perform { db in
            let (unsaved, bounds) = (self.state.withLock(\.buffer.unsaved), self.bounds)
            let floor = bounds.floor(after: try Journal.Entry.fetchLastPlace(db) + Int64(unsaved.count))
            var tally = try UsageTally.fetch(notListedThrough: floor, db)
            for entry in unsaved.dropLast(bounds.entries) { tally.take(entry) }
            return tally
        } then: { result in
            reply(result.mapError { .invalid("the journal cannot be read: \($0)") })
        }
    }

    /// Joins the stored entries and the buffered ones: first those that are in memory now, then the stored ones, from the
    /// newest of them to the oldest. Returns them once all are found. Runs on the database's queue, where no batch is half
    /// written.
    private func slice(of reading: JournalReading, _ db: Database) throws -> [Journal.Entry]? {
        let (unsaved, bounds) = (state.withLock(\.buffer.unsaved), bounds)
        return try reading.advance(
            begin: { filter in
                let floor = bounds.floor(after: try Journal.Entry.fetchLastPlace(db) + Int64(unsaved.count))
                let recent = unsaved.suffix(bounds.entries).filter { $0.matches(filter) }
                // What is written meanwhile is not found again.
                return (recent.reversed(), floor: floor, end: unsaved.first?.number ?? .max)
            },
            fetch: { filter, limit, floor, end in
                let slice = try Journal.Entry.fetch(filter, limit: limit, above: floor, before: end, db)
                if slice.unreadable > 0 {
                    logger.warning(
                        "skipping journal entries written by another version of lightd",
                        metadata: ["count": "\(slice.unreadable)"])
                }
                return (slice.entries, slice.next)
            })
    }

    /// In one transaction, inserts the batch, deletes the oldest entries beyond the bounds, and saves the memory and
    /// what bounds the numbers.
    private func save(_ db: Database, isLast: Bool = false) {
        let (batch, savedNumbers, numbers) = state.withLock { state in
            state.isFlushQueued = false
            let numbers = isLast ? state.numbers.ended(by: state.buffer) : state.numbers.covering(state.buffer)
            return (state.buffer.unsaved, state.numbers, numbers)
        }
        guard !batch.isEmpty || !memory.isSaved || numbers != savedNumbers else { return }
        do {
            var remembered: MemoryStore.Batch?
            try db.writeJournal {
                remembered = try memory.save(db)
                // Also those that are too many at once: what they say of lamps is kept.
                let bytes = try Journal.Entry.insert(batch, db)
                _ = try Journal.Entry.trim(to: bounds, quota: bytes + Self.step, db)
                try numbers.save(over: savedNumbers, db)
            }
            memory.noteSaved(remembered)
        } catch {
            return reportFailure(PersistenceError(error))
        }
        let lost = state.withLock { state in
            defer {
                state.buffer.resetLossCount()
                state.hasFailed = false
                state.hasReportedLoss = false
            }
            if let newest = batch.last { state.buffer.remove(through: newest.number) }
            state.numbers = numbers
            return state.buffer.lost
        }
        health.succeeded(.journal, lost: lost)
        if unsavedCount > 0 || !memory.isSaved { wakeUp.yield() }
    }

    private func reportFailure(_ error: PersistenceError) {
        state.withLock { $0.hasFailed = true }
        health.failed(.journal, error)
        wakeUp.yield()
    }
}

extension Message {
    /// Whether it is the answer to a command that changes lights: who was told that it is done must find after the end of
    /// lightd, however it ends, that it can be undone, and why the lights are so.
    fileprivate var isAnswerToCommand: Bool {
        guard case let .lighting(_, ticket) = self else { return false }
        return isResponse && !ticket.isFollowUpStep
    }
}

/// How much of the journal is kept.
struct JournalBounds: Equatable, Sendable {
    let entries: Int
    /// The size of the database without its unused pages.
    let bytes: Int

    init(entries: Int, bytes: Int) {
        self.entries = max(entries, 0)
        self.bytes = max(bytes, 0)
    }

    /// Entries up to this place are too many.
    func floor(after last: Int64) -> Int64 { last - Int64(entries) }
}

/// Whether messages are recorded.
public enum JournalPolicy: Equatable, Sendable {
    /// Records nothing. The database is not written while only lights change; what is remembered of them, at the end.
    case off
    /// - Parameters:
    ///   - entries: the maximum number kept; the oldest are deleted first.
    ///   - bytes: the maximum size of the database, which also holds some kilobytes besides the journal. It is
    ///     exceeded only by what is being written, and after an update by a journal that is not shortened yet.
    ///   - flush: how long an entry may stay in memory before it is written.
    case on(entries: Int, bytes: Int, flush: Duration)
}

/// The journal when `journal.enabled` is false: records nothing. Entries from earlier runs can still be pruned.
struct DisabledJournal: Sendable {
    let database: SerialDatabase

    var journal: Journal {
        Journal(
            append: { _, _, _ in },
            list: { _, reply in
                reply(.success([]))
                return {}
            },
            prune: { time, reply in
                database.perform { db in
                    try db.writeJournal { try Journal.Entry.delete(before: time, db) }
                } then: { result in
                    reply(result.outcome)
                }
            }
        )
    }
}

/// The sequences whose numbers are in the journal, and are saved with its batches.
struct JournalNumbers: Equatable, Sendable {
    var entries: NumberSequence
    var tickets: NumberSequence

    func covering(_ buffer: JournalBuffer) -> Self {
        Self(
            entries: entries.covering(buffer.lastNumber),
            tickets: tickets.covering(Int64(clamping: buffer.highestTicket)))
    }

    /// If no entry comes after those in the buffer. Whether a command comes is not known.
    func ended(by buffer: JournalBuffer) -> Self {
        Self(entries: entries.ended(at: buffer.lastNumber), tickets: covering(buffer).tickets)
    }

    func save(over saved: Self, _ db: Database) throws {
        if entries != saved.entries { try entries.save(db) }
        if tickets != saved.tickets { try tickets.save(db) }
    }
}
