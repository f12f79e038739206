import GRDB
import Synchronization

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
