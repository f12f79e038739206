import NIOCore
import Synchronization

/// The network between the bridge and its clients, where faults strike below TLS: at the bytes of every connection to
/// the bridge's own ports. The control port is reached by another network.
final class BridgeNetwork: Sendable {
    /// What holds for as long as a fault lasts.
    struct Condition: Equatable, Sendable {
        /// On every connection the bridge's bytes arrive one a second.
        var isSlow = false
        /// New connections are not accepted.
        var isClosed = false
    }

    /// What happens to the connections that are open at that moment, for good.
    enum Loss: Sendable {
        /// A router forgot them: what either side sends vanishes.
        case blackHole
        /// The bridge forgot them, and the client does not know: what it sends is answered by TCP RST.
        case halfOpen
    }

    /// As a connection hears of it.
    enum Change: Sendable {
        case condition(Condition)
        case loss(Loss)
        /// The server cuts the connection, whatever its faults.
        case cut
    }

    private struct State {
        var connections: [ObjectIdentifier: any Channel] = [:]
        var condition = Condition()
    }

    private let state = Mutex(State())

    /// Takes up a new connection. Call it on the connection's event loop, before any other handler is added.
    func take(_ connection: any Channel) throws {
        let id = ObjectIdentifier(connection)
        let condition = state.withLock { state in
            state.connections[id] = connection
            return state.condition
        }
        connection.closeFuture.whenComplete { _ in self.state.withLock { $0.connections[id] = nil } }
        try connection.pipeline.syncOperations.addHandler(NetworkFaultHandler(condition), position: .first)
    }

    /// Any thread.
    func set(_ condition: Condition) {
        let connections = state.withLock { state in
            guard state.condition != condition else { return [any Channel]() }
            state.condition = condition
            return Array(state.connections.values)
        }
        Self.tell(connections, .condition(condition))
    }

    /// Loses the connections that are open now. Later ones work. Any thread.
    func lose(_ loss: Loss) { Self.tell(state.withLock { Array($0.connections.values) }, .loss(loss)) }

    /// Waits until every connection is as it was set: bytes that come later meet the fault.
    func settle() async {
        for connection in state.withLock({ Array($0.connections.values) }) {
            // Fails only if the event loop has ended, and the connection with it.
            try? await connection.eventLoop.submit {}.get()
        }
    }

    /// How many connections are open, as the kernel sees it.
    var connectionCount: Int { state.withLock { $0.connections.count } }

    private static func tell(_ connections: [any Channel], _ change: Change) {
        for connection in connections { connection.pipeline.fireUserInboundEventTriggered(change) }
    }
}
