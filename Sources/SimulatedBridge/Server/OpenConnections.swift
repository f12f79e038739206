import NIOCore
import Synchronization

/// The open connections of a server: how many requests each has carried, and the event streams on it.
final class OpenConnections: Sendable {
    private struct Connection {
        var requests = 0
        var readers: [EventReader] = []
        /// Whether it closes after what is under way.
        var isLeaving = false
    }

    private let connections = Mutex<[ObjectIdentifier: Connection]>([:])

    /// Counts one more request. Any thread.
    func count(on channel: any Channel) -> Int {
        let id = ObjectIdentifier(channel)
        let count = connections.withLock { connections in
            connections[id, default: Connection()].requests += 1
            return connections[id]?.requests ?? 1
        }
        if count == 1 {
            channel.closeFuture.whenComplete { _ in self.connections.withLock { $0[id] = nil } }
        }
        return count
    }

    /// Notes an event stream, so that it ends with its connection.
    func add(_ reader: EventReader, on channel: any Channel) {
        let isLeaving = connections.withLock { connections in
            connections[ObjectIdentifier(channel)]?.readers.append(reader)
            return connections[ObjectIdentifier(channel)]?.isLeaving ?? true
        }
        if isLeaving { reader.close() }
    }

    /// Ends the event streams on a connection, and those that are still to come: nothing else keeps it open for long.
    func endStreams(on channel: any Channel) {
        let readers = connections.withLock { connections in
            connections[ObjectIdentifier(channel)]?.isLeaving = true
            return connections[ObjectIdentifier(channel)]?.readers ?? []
        }
        for reader in readers { reader.close() }
    }
}
