import Executors
import GRDB
import Khipu
import Lighting
import Synchronization

/// The access log on the database. An event is in memory at once and written soon after; one that cannot be written
/// stays in memory, and is tried again. What was written survives a power failure.
final class AccessLogStore: Sendable {
    private struct State {
        /// By number, oldest first.
        var unsaved: [(number: Int, event: AccessEvent)] = []
        var last = 0
        var isWriteQueued = false
        /// Those that memory had no place for.
        var lost = 0
        /// When old rows were last deleted.
        var trimmed: Timestamp?
    }

    /// How often old rows are looked for.
    private static let trimInterval = Duration.seconds(86_400)

    private let database: SerialDatabase
    private let capacity: Int
    private let keptRows: Int
    /// Reports a write that failed.
    private let report: @Sendable (PersistenceError) -> Void
    /// Reports events that were lost, and how many.
    private let reportLoss: @Sendable (Int) -> Void
    private let state = Mutex(State())
    /// Yields when a write has failed.
    private let due: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - capacity: the most events in memory while the disk accepts none.
    ///   - keptRows: the newest, which stay however old they are.
    init(
        _ database: SerialDatabase, capacity: Int = 1000, keptRows: Int = AccessEvent.keptRows,
        report: @escaping @Sendable (PersistenceError) -> Void, reportLoss: @escaping @Sendable (Int) -> Void
    ) {
        (self.database, self.capacity, self.keptRows) = (database, capacity, keptRows)
        (self.report, self.reportLoss) = (report, reportLoss)
        (due, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var log: AccessLog { AccessLog(append: append, list: list) }

    @Sendable private func append(_ event: AccessEvent) {
        let isToBeQueued = state.withLock { state in
            state.last += 1
            state.unsaved.append((state.last, event))
            if state.unsaved.count > capacity {
                state.unsaved.removeFirst()
                state.lost += 1
            }
            defer { state.isWriteQueued = true }
            return !state.isWriteQueued
        }
        if isToBeQueued { database.perform(save) { _ in } }
    }

    /// Joins the rows and what is not written yet. Runs in the turn of the database, where no batch is half written.
    @Sendable private func list(
        _ filter: AccessLog.Filter, _ reply: @escaping Reply<Result<[AccessEvent], Failure>>
    ) {
        database.perform { [self] db in
            let unsaved = state.withLock(\.unsaved).map(\.event).filter(filter.allows).suffix(filter.limit)
            return try AccessEvent.fetch(filter, limit: filter.limit - unsaved.count, db) + unsaved
        } then: { result in
            reply(result.mapError { .invalid("\($0)") })
        }
    }

    /// Tries again after each pause while events cannot be written, until its task is cancelled.
    func run(pause: Duration = .seconds(5)) async {
        for await _ in due {
            repeat {
                guard (try? await QueueTimer.sleep(for: pause)) != nil else { return }
            } while await !flush()
        }
    }

    /// Writes what is not written yet. Returns whether nothing is left.
    @discardableResult
    func flush() async -> Bool {
        // `save` handles its own failures. The other one is `closed`, before which everything was written.
        _ = await database.perform(save)
        return state.withLock(\.unsaved).isEmpty
    }

    @Sendable private func save(_ db: Database) {
        let (batch, trimmed) = state.withLock { state in
            state.isWriteQueued = false
            return (state.unsaved, state.trimmed)
        }
        guard let newest = batch.last else { return }
        let now = newest.event.time
        let isTrimDue = trimmed.map { now < $0 || $0.advanced(by: Self.trimInterval) <= now } ?? true
        do {
            try db.writeDurably {
                for (_, event) in batch { try event.insert(db) }
                if isTrimDue { try AccessEvent.trim(at: now, keeping: keptRows, db) }
            }
        } catch {
            report(PersistenceError(error, onReading: database.obstacle))
            wakeUp.yield()
            return
        }
        let lost = state.withLock { state in
            defer { state.lost = 0 }
            state.unsaved.removeAll { $0.number <= newest.number }
            if isTrimDue { state.trimmed = now }
            return state.lost
        }
        if lost > 0 { reportLoss(lost) }
    }
}
