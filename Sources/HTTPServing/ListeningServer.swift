import Glibc
public import HummingbirdCore
public import Logging
public import NIOCore
import NIOPosix
public import ServiceLifecycle
import Synchronization

/// Where a server listens.
public enum ListeningAddress: Sendable {
    case host(String, port: Int)
    /// A descriptor, which the server closes, of a socket that listens already and of which there are others. Clients
    /// that are not accepted here wait in its queue for the next server, in this process or another.
    case listening(CInt)
}

/// The server of one listening socket, for a process that goes on when it ends.
///
/// It does what Hummingbird's `Server` does, which binds only sockets of its own, and which crashes if it stops at the
/// moment of accepting a connection ("Deinited NIOAsyncWriter without calling finish()").
///
/// On a graceful shutdown it first stops accepting, then lets the connections finish what they have begun. Cancelled, it
/// stops accepting as well, then ends the connections.
public struct ListeningServer<Child: ServerChildChannel, Limit: AvailableConnectionsDelegate>: Service {
    private let child: Child
    private let address: ListeningAddress
    private let limit: Limit
    private let executor: any TaskExecutor
    private let logger: Logger
    private let onRunning: @Sendable (any Channel) async -> Void

    /// - Parameters:
    ///   - child: what serves one connection.
    ///   - limit: says when to accept no more connections.
    ///   - executor: where requests are answered.
    ///   - onRunning: called once it accepts.
    public init(
        _ child: Child, on address: ListeningAddress, limit: Limit, executor: any TaskExecutor, logger: Logger,
        onRunning: @escaping @Sendable (any Channel) async -> Void
    ) {
        self.child = child
        self.address = address
        self.limit = limit
        self.executor = executor
        self.logger = logger
        self.onRunning = onRunning
    }

    /// - Throws: if it cannot listen.
    public func run() async throws {
        let acceptor = Acceptor()
        let listener = try await listen(acceptor)
        let accepted = listener.channel.eventLoop.makePromise(of: Void.self)
        await withDiscardingTaskGroup { group in
            group.addTask {
                guard (try? await gracefulShutdown()) != nil else { return }  // cancelled: see below
                await acceptor.stop(listener.channel)
            }
            await onRunning(listener.channel)
            // Not a child of this task, which may be cancelled: it would drop the connections that were accepted and are
            // not served yet, and that crashes.
            let serving = Task(executorPreference: executor) { await serve(listener, accepted) }
            group.addTask {
                await cancellation()
                await acceptor.stop(listener.channel)
                try? await accepted.futureResult.get()  // never fails
                serving.cancel()
            }
            await serving.value
            group.cancelAll()
        }
    }

    /// Returns when the task is cancelled.
    private func cancellation() async {
        let (never, continuation) = AsyncStream<Never>.makeStream()
        for await _ in never {}
        continuation.finish()
    }

    private func listen(_ acceptor: Acceptor) async throws -> NIOAsyncChannel<Child.Value, Never> {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.backlog, value: SOMAXCONN)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { [limit, address] channel in
                channel.eventLoop.makeCompletedFuture {
                    // NIO has set its own length of the queue, which is too short for a restart.
                    if case let .listening(descriptor) = address { Glibc.listen(descriptor, SOMAXCONN) }
                    try channel.pipeline.syncOperations.addHandlers([
                        acceptor, AvailableConnectionsChannelHandler(delegate: limit),
                    ])
                }
            }
            .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
        let setUp: @Sendable (any Channel) -> EventLoopFuture<Child.Value> = { [child, logger] in
            child.setup(channel: $0, logger: logger)
        }
        switch address {
        case let .host(host, port):
            return try await bootstrap.bind(to: resolved(host, port), childChannelInitializer: setUp)
        case let .listening(descriptor):
            return try await bootstrap.bind(descriptor, childChannelInitializer: setUp)
        }
    }

    /// DNS may take half a minute. NIO would wait for it on a thread that serves connections.
    private func resolved(_ host: String, _ port: Int) async throws -> SocketAddress {
        if let address = try? SocketAddress(ipAddress: host, port: port) { return address }
        let (addresses, address) = AsyncStream<Result<SocketAddress, any Error>>.makeStream()
        NIOThreadPool.singleton.submit { _ in
            address.yield(Result { try SocketAddress.makeAddressResolvingHost(host, port: port) })
        }
        for await result in addresses { return try result.get() }
        throw CancellationError()
    }

    /// - Parameter accepted: fulfilled when no connection will be accepted any more, and all that were are served.
    private func serve(_ listener: NIOAsyncChannel<Child.Value, Never>, _ accepted: EventLoopPromise<Void>) async {
        await withDiscardingTaskGroup { [child, logger] group in
            do {
                try await listener.executeThenClose { connections in
                    for try await connection in connections {
                        group.addTask { await child.handle(value: connection, logger: logger) }
                    }
                }
            } catch {
                logger.error("accepting connections failed: \(error)")
            }
            accepted.succeed()
        }
    }
}

/// Knows the accepted connections, and stops accepting.
private final class Acceptor: ChannelDuplexHandler, Sendable {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    private let state = Mutex<(isOpen: Bool, channels: [ObjectIdentifier: any Channel])>((true, [:]))

    func read(context: ChannelHandlerContext) {
        if state.withLock(\.isOpen) { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = Self.unwrapInboundIn(data)
        state.withLock { $0.channels[ObjectIdentifier(channel)] = channel }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
        }
        context.fireChannelRead(data)
    }

    func stop(_ listener: any Channel) async {
        state.withLock { $0.isOpen = false }
        // Fails only if it is closed already.
        try? await listener.setOption(.autoRead, value: false).get()
        // A connection that was accepted just now is set up in four steps: on its event loop and on the listener's by
        // ServerBootstrap's handler, then once more by NIOAsyncChannel's. Closed before that, the listener would drop it.
        // Each round does one step at least, because event loops run what they are given in order.
        for _ in 1...4 {
            for eventLoop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
                try? await eventLoop.submit {}.get()  // an event loop that is gone has nothing to do
            }
        }
        try? await listener.close().get()
        for channel in state.withLock({ Array($0.channels.values) }) {
            channel.eventLoop.execute { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
        }
    }
}
