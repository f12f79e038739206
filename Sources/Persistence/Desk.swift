import GRDB
import Lighting
import Synchronization

/// Where all work on the database is done: one piece after the other, in the order in which it came, on a queue of its own.
final class Desk: Sendable {
    private let queue: DatabaseQueue
    /// Its lock is held as long as there is a connection.
    private let directory: StateDirectory
    private let isOpen = Mutex(true)

    init(_ queue: DatabaseQueue, in directory: StateDirectory) {
        self.queue = queue
        self.directory = directory
    }

    /// Does it later and answers once, from the queue.
    func post<Answer: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Answer,
        then reply: @escaping Reply<Result<Answer, Obstacle>>
    ) {
        queue.asyncWriteWithoutTransaction { [self] db in
            guard isOpen.withLock({ $0 }) else { return reply(.failure(.closed)) }
            reply(Result { try work(db) }.mapError(Obstacle.init))
        }
    }

    /// Waits until everything that came before is done.
    func post<Answer: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Answer
    ) async -> Result<Answer, Obstacle> {
        await withCheckedContinuation { waiting in
            post(work) { waiting.resume(returning: $0) }
        }
    }

    /// Ends the connection and lets go of the directory; what comes later is answered ``Obstacle/closed``. Waits for what is under way.
    func close() throws(Obstacle) {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        do { try queue.close() } catch { throw Obstacle(error) }
        directory.letGo()
    }
}
