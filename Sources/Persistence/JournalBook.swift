import GRDB
import Khipu
import Lighting
import Logging
import Synchronization

/// The journal on the database: collected in memory, written in batches, one transaction each.
final class JournalBook: Sendable {
    private struct State {
        var buffer: JournalBuffer
        var mark: TicketMark
        /// A batch that did not wait for its time is on its way to the desk.
        var isHurrying = false
        /// The last batch could not be written, and the log was told.
        var isFailing = false
        /// The log was told that entries were given up.
        var isLosing = false
    }

    private let desk: Desk
    private let entries: Int64
    private let interval: Duration
    private let logger: Logger
    private let state: Mutex<State>
    /// Something waits to be written.
    private let due: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    init(
        _ desk: Desk, entries: Int, flush interval: Duration, after number: Int64, mark: TicketMark, capacity: Int,
        logger: Logger
    ) {
        self.desk = desk
        self.entries = Int64(max(entries, 0))
        self.interval = interval
        self.logger = logger
        state = Mutex(State(buffer: JournalBuffer(after: number, capacity: capacity), mark: mark))
        (due, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var journal: Journal {
        Journal(append: append, list: list, prune: prune)
    }

    /// Writes until its task is cancelled: nothing while nothing happens, else once in an interval.
    func run() async {
        for await _ in due {
            // Cancelled: what is left is written at the end.
            guard (try? await Task.sleep(for: interval)) != nil else { return }
            await flush()
        }
    }

    /// Writes what waits. A failure is in the log, and what waits goes on waiting.
    func flush() async {
        // The answer carries nothing that `save` has not dealt with, save that the desk is closed: then all was written.
        _ = await desk.post { self.save($0) }
    }

    /// How many wait to be written.
    var unsavedCount: Int { state.withLock { $0.buffer.unsaved.count } }

    @Sendable private func append(_ message: Message, _ time: Timestamp) {
        let (isFirst, hurries, lost) = state.withLock { state in
            state.buffer.append(message, at: time)
            let hurries = state.buffer.isHalfFull && !state.isHurrying && !state.isFailing
            if hurries { state.isHurrying = true }
            let lost = state.isLosing ? 0 : state.buffer.lost
            if lost > 0 { state.isLosing = true }
            return (state.buffer.unsaved.count == 1, hurries, lost)
        }
        if isFirst { bell.yield() }
        if hurries {
            desk.post {
                self.save($0)
            } then: { _ in
            }
        }
        if lost > 0 {
            logger.warning("the journal's memory is full; the oldest unsaved entries are given up")
        }
    }

    @Sendable private func list(
        _ filter: Journal.Filter, _ reply: @escaping Reply<Result<[Journal.Entry], Failure>>
    ) {
        desk.post {
            try self.fetch(filter, $0)
        } then: { result in
            reply(result.mapError { .invalid("the journal cannot be read: \($0)") })
        }
    }

    @Sendable private func prune(_ time: Timestamp, _ reply: @escaping Reply<Outcome>) {
        desk.post { db in
            // Written first, so that the database knows every number given and none comes twice.
            self.save(db)
            try db.inTransaction(.immediate) {
                try Journal.Entry.delete(before: time, db)
                return .commit
            }
            self.state.withLock { $0.buffer.remove(before: time) }
        } then: { result in
            switch result {
            case .success: reply(.succeeded)
            case let .failure(obstacle): reply(.failed(obstacle.failure))
            }
        }
    }

    /// On the desk, where no batch is half written: what is in memory follows what is on disk.
    private func fetch(_ filter: Journal.Filter, _ db: Database) throws -> [Journal.Entry] {
        let (unsaved, floor) = state.withLock { ($0.buffer.unsaved, $0.buffer.lastNumber - entries) }
        let limit = max(filter.limit, 0)
        let recent = unsaved.filter { $0.number > floor && $0.matches(filter) }.suffix(limit)
        guard recent.count < limit else { return Array(recent) }
        let (saved, unreadable) = try Journal.Entry.fetch(filter, limit: limit - recent.count, above: floor, db)
        if unreadable > 0 {
            logger.warning(
                "entries of the journal are in words of another version and were passed over",
                metadata: ["count": "\(unreadable)"]
            )
        }
        return saved + recent
    }

    /// One transaction: the batch comes in, the oldest go, the mark of the tickets moves on.
    private func save(_ db: Database) {
        let (batch, last, before, mark) = state.withLock { state in
            state.isHurrying = false
            let buffer = state.buffer
            return (buffer.unsaved, buffer.lastNumber, state.mark, state.mark.covering(buffer.highestTicket))
        }
        guard let newest = batch.last else { return }
        let floor = last - entries
        do {
            try db.inTransaction(.immediate) {
                try Journal.Entry.insert(batch.drop { $0.number <= floor }, db)
                try Journal.Entry.delete(through: floor, db)
                if mark != before { try mark.save(db) }
                return .commit
            }
        } catch {
            return fail(Obstacle(error))
        }
        let (wasFailing, lost) = state.withLock { state in
            defer {
                state.buffer.forgive()
                state.isFailing = false
                state.isLosing = false
            }
            state.buffer.remove(through: newest.number)
            state.mark = mark
            return (state.isFailing, state.buffer.lost)
        }
        if wasFailing || lost > 0 {
            logger.notice("the journal is written again", metadata: ["lost": "\(lost)"])
        }
        if unsavedCount > 0 { bell.yield() }
    }

    private func fail(_ obstacle: Obstacle) {
        let wasFailing = state.withLock { state in
            defer { state.isFailing = true }
            return state.isFailing
        }
        if !wasFailing {
            logger.error("the journal cannot be written; trying again", metadata: ["because": "\(obstacle)"])
        }
        bell.yield()
    }
}
