import GRDB
import Lighting
import Synchronization

/// Runs all work on the database, one piece after another in order of arrival, on a queue of its own.
final class SerialDatabase: Sendable {
    private let queue: DatabaseQueue
    /// Kept locked for as long as the connection is open.
    private let directory: StateDirectory
    private let isOpen = Mutex(true)

    init(_ queue: DatabaseQueue, in directory: StateDirectory) {
        self.queue = queue
        self.directory = directory
    }

    /// Queues the work and calls `reply` exactly once, from the queue.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Value,
        then reply: @escaping Reply<Result<Value, PersistenceError>>
    ) {
        queue.asyncWriteWithoutTransaction { [self] db in
            guard isOpen.withLock({ $0 }) else { return reply(.failure(.closed)) }
            reply(Result { try work(db) }.mapError(PersistenceError.init))
        }
    }

    /// Waits until the work, and all that was queued before it, is done.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Value
    ) async -> Result<Value, PersistenceError> {
        await withCheckedContinuation { continuation in
            perform(work) { continuation.resume(returning: $0) }
        }
    }

    /// Finishes the current work, closes the connection and unlocks the directory. Later work fails with
    /// ``PersistenceError/closed``.
    func close() throws(PersistenceError) {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        do { try queue.close() } catch { throw PersistenceError(error) }
        directory.unlock()
    }
}
