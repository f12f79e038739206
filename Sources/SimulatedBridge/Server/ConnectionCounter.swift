import NIOCore
import Synchronization

/// Counts the requests on each open connection.
final class ConnectionCounter: Sendable {
    private let counts = Mutex<[ObjectIdentifier: Int]>([:])

    /// Counts one more request. Any thread.
    func count(on connection: any Channel) -> Int {
        let id = ObjectIdentifier(connection)
        let count = counts.withLock { counts in
            counts[id, default: 0] += 1
            return counts[id, default: 1]
        }
        if count == 1 {
            connection.closeFuture.whenComplete { _ in self.counts.withLock { $0[id] = nil } }
        }
        return count
    }
}
