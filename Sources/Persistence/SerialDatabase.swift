import Dispatch
import GRDB
import Lighting
import Synchronization

/// Runs all work on the database, one piece after another in order of arrival, on a queue of its own.
final class SerialDatabase: Sendable {
    private struct State {
        var connection: DatabaseQueue
        /// Why the connection can only read; `nil` if it can write.
        var obstacle: PersistenceError?
        var isOpen = true
    }

    private let turns = DispatchQueue(label: "database", qos: .userInitiated)
    private let state: Mutex<State>
    /// What is read in slices, and not done yet. The first one has a turn, or waits for one; each returns whether it is done.
    private let readings = Mutex<[@Sendable () -> Bool]>([])
    /// Its directory is kept locked for as long as the connection is open.
    private let opening: OpenedDatabase.Opening

    /// - Parameter opening: opens the database again, if the opened one can only be read.
    init(_ opened: OpenedDatabase, by opening: OpenedDatabase.Opening) {
        state = Mutex(State(connection: opened.queue, obstacle: opened.obstacle))
        self.opening = opening
    }

    var isWritable: Bool { obstacle == nil }

    /// Why it can only be read at present.
    var obstacle: PersistenceError? { state.withLock(\.obstacle) }

    /// Queues the work and calls `reply` exactly once, from the queue.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Value,
        then reply: @escaping Reply<Result<Value, PersistenceError>>
    ) {
        turns.async { [self] in
            let (connection, obstacle, isOpen) = state.withLock { ($0.connection, $0.obstacle, $0.isOpen) }
            guard isOpen else { return reply(.failure(.closed)) }
            let result = Result { try connection.writeWithoutTransaction(work) }
            reply(result.mapError { PersistenceError($0, onReading: obstacle) })
        }
    }

    /// Reads something that takes long. Each slice is queued behind all other work that waits by then, so that nobody who
    /// reads holds up a change, whether one client reads or a hundred; and readings take turns.
    ///
    /// - Parameters:
    ///   - slice: is called until it returns a value or throws. What it reads may change between two calls.
    ///   - reply: is called exactly once, from the queue.
    func read<Value: Sendable>(
        inSlices slice: @escaping @Sendable (Database) throws -> Value?,
        then reply: @escaping Reply<Result<Value, PersistenceError>>
    ) {
        let reading: @Sendable () -> Bool = { [self] in
            let (connection, obstacle, isOpen) = state.withLock { ($0.connection, $0.obstacle, $0.isOpen) }
            guard isOpen else {
                reply(.failure(.closed))
                return true
            }
            do {
                guard let value = try connection.writeWithoutTransaction(slice) else { return false }
                reply(.success(value))
            } catch {
                reply(.failure(PersistenceError(error, onReading: obstacle)))
            }
            return true
        }
        let isAlone = readings.withLock { readings in
            readings.append(reading)
            return readings.count == 1
        }
        if isAlone { turns.async { self.takeTurn() } }
    }

    private func takeTurn() {
        guard let reading = readings.withLock(\.first) else { return }
        let isDone = reading()
        let isOver = readings.withLock { readings in
            let first = readings.removeFirst()
            if !isDone { readings.append(first) }
            return readings.isEmpty
        }
        if !isOver { turns.async { self.takeTurn() } }
    }

    /// Waits until the work, and all that was queued before it, is done.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Value
    ) async -> Result<Value, PersistenceError> {
        await withCheckedContinuation { continuation in
            perform(work) { continuation.resume(returning: $0) }
        }
    }

    /// Opens the database for writing if it could only be read until now. Work that is queued later can write.
    func makeWritable() async -> Result<Void, PersistenceError> {
        await withCheckedContinuation { continuation in
            turns.async { [self] in continuation.resume(returning: Result { try reopen() }.mapError { .init($0) }) }
        }
    }

    private func reopen() throws {
        let (reader, obstacle, isOpen) = state.withLock { ($0.connection, $0.obstacle, $0.isOpen) }
        guard isOpen else { throw PersistenceError.closed }
        guard let obstacle else { return }
        // Opening it in vain takes more than to ask.
        guard opening.directory.mayBeWritable else { throw obstacle }
        // First, because SQLite shares the files of one process: a writer would get those that are open for reading.
        try opening.closed.close(reader)
        let opened = try opening.forWritingOrReading(.again)
        state.withLock {
            $0.connection = opened.queue
            $0.obstacle = opened.obstacle
        }
        if let obstacle = opened.obstacle { throw obstacle }
    }

    /// Finishes the current work, closes the connection and unlocks the directory. Later work fails with
    /// ``PersistenceError/closed``.
    func close() throws(PersistenceError) {
        let wasOpen = state.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen
        }
        guard wasOpen else { return }
        do {
            try turns.sync { try state.withLock(\.connection).close() }
        } catch {
            throw PersistenceError(error)
        }
        opening.directory.unlock()
    }
}

/// Connections that are closed, and kept: releasing one would start libdispatch's shared pool, which then wakes up every
/// second (Executors.RestingExecutor), because a queue's own values are released there.
///
/// A process has few of them: one for each check of the file, and one for each time that the disk was full.
final class ClosedConnections: Sendable {
    private let kept = Mutex<[DatabaseQueue]>([])

    func close(_ connection: DatabaseQueue) throws {
        kept.withLock { $0.append(connection) }
        try connection.close()
    }
}

extension Database {
    /// One transaction that is synced to disk.
    func writeDurably(_ write: () throws -> Void) throws {
        // Journal batches skip it: a power failure may take their last seconds, and each sync wears an SD card.
        try execute(sql: "PRAGMA synchronous = FULL")
        // Sets a flag in memory. If it fails, later batches are only written more carefully than needed.
        defer { try? execute(sql: "PRAGMA synchronous = NORMAL") }
        try inTransaction(.immediate) {
            try write()
            return .commit
        }
    }

    /// ``writeDurably(_:)`` for what removes keys or digests of tokens: they are in no page of the database afterwards,
    /// and, unless another reader prevents it, not in its log.
    ///
    /// What is deleted is zeroed, but SQLite leaves copies of rows that it has moved to another page. Emptying a table
    /// zeroes all of its pages. These tables are small.
    ///
    /// - Returns: whether the log is empty.
    @discardableResult func erase(_ write: () throws -> Void) throws -> Bool {
        // With them SQLite would not empty the table of bridges, but delete row by row, and their scenes as well.
        try execute(sql: "PRAGMA foreign_keys = OFF")
        defer { try? execute(sql: "PRAGMA foreign_keys = ON") }  // Sets a flag in memory.
        try writeDurably {
            try write()
            for table in Schema.secret {
                let records = try BackupFile.Record.fetchAll(table, self)
                try execute(sql: "DELETE FROM \(table)")
                for record in records { try record.insert(into: table, self) }
            }
        }
        return (try? emptyLog()) != nil
    }

    /// One transaction on the journal, which has no secrets: pages that become free need not be zeroed, which would mean
    /// to write as much as is deleted.
    func writeJournal(_ write: () throws -> Void) throws {
        try execute(sql: "PRAGMA secure_delete = FAST")
        // Sets a flag in memory.
        defer { try? execute(sql: "PRAGMA secure_delete = ON") }
        try inTransaction(.immediate) {
            try write()
            return .commit
        }
    }
}
