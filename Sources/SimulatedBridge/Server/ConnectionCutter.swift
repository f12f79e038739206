import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import Synchronization

/// Cuts all connections of a server at once, as when a bridge loses its mains.
///
/// It closes the connections on their channels; the server then shuts down gracefully with nothing left to wait for.
/// Cancelling its task instead is not safe: Hummingbird's HTTP/2 traps on a stream that arrives after its task was
/// cancelled ("Deinited NIOAsyncWriter without calling finish()", seen with hummingbird 2.28 and swift-nio 2.101).
final class ConnectionCutter: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: any Channel] = [:]
        var isCut = false
    }

    private let state = Mutex(State())
    /// Ends when the connections are cut.
    private let untilCut: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation
    /// `nil`: the connections are without faults.
    fileprivate let network: BridgeNetwork?

    init(network: BridgeNetwork?) {
        self.network = network
        (untilCut, end) = AsyncStream.makeStream()
    }

    /// Closes all connections, and those that are still to come. Idempotent; any thread.
    func cut() {
        let connections = state.withLock { state in
            state.isCut = true
            defer { state.connections = [:] }
            return Array(state.connections.values)
        }
        for connection in connections {
            connection.pipeline.fireUserInboundEventTriggered(BridgeNetwork.Change.cut)
            connection.close(promise: nil)
        }
        end.finish()
    }

    fileprivate func track(_ connection: any Channel) {
        let id = ObjectIdentifier(connection)
        let isCut = state.withLock { state in
            if !state.isCut { state.connections[id] = connection }
            return state.isCut
        }
        if isCut { return connection.close(promise: nil) }
        connection.closeFuture.whenComplete { _ in self.state.withLock { $0.connections[id] = nil } }
    }

    /// Runs a server until its connections are cut, also by cancelling the task.
    ///
    /// - Parameters:
    ///   - executor: where its tasks run; `nil` for the default executor.
    ///   - atEnd: ends what would continue without connections.
    func run(_ server: some Service, on executor: (any TaskExecutor)?, atEnd: @escaping @Sendable () async -> Void)
        async throws
    {
        let ending = EndOnCut(untilCut: untilCut, atEnd: atEnd)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: server),
                    .init(service: ending, successTerminationBehavior: .gracefullyShutdownGroup),
                ],
                logger: Logger(label: "lightsim") { _ in SwiftLogNoOpLogHandler() }
            ))
        // Not a child task: it must end by the cut, not by cancellation. The next line awaits it.
        let running = Task.detached(executorPreference: executor) { try await group.run() }
        try await withTaskCancellationHandler {
            try await running.value
        } onCancel: {
            cut()
        }
    }

    /// Ends when the connections are cut, and with it the group of the server.
    private struct EndOnCut: Service {
        let untilCut: AsyncStream<Void>
        let atEnd: @Sendable () async -> Void

        func run() async throws {
            for await _ in untilCut {}
            await atEnd()
        }
    }
}

extension ConnectionCutter {
    /// HTTP/1.1 without TLS.
    var http: HTTPServerBuilder {
        HTTPServerBuilder { responder in TrackedChannel(base: HTTP1Channel(responder: responder), cutter: self) }
    }

    /// HTTP/2 or HTTP/1.1 over TLS, as the client chooses; only HTTP/1.1 if an emulator is simulated.
    func https(_ tls: TLSConfiguration, onlyHTTP1: Bool) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            if onlyHTTP1 {
                try TrackedChannel(
                    base: TLSChannel(HTTP1Channel(responder: responder), tlsConfiguration: tls), cutter: self)
            } else {
                try TrackedChannel(base: HTTP2UpgradeChannel(tlsConfiguration: tls, responder: responder), cutter: self)
            }
        }
    }
}

/// A connection that the cutter knows.
private struct TrackedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let cutter: ConnectionCutter

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        cutter.track(channel)
        do {
            try cutter.network?.take(channel)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
