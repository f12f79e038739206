import Glibc
public import HummingbirdCore
public import Logging
public import NIOCore
import NIOPosix
public import ServiceLifecycle
import Synchronization

/// Where a server listens.
public enum ListeningAddress: Sendable {
    case path(String)
    case host(String, port: Int)
    /// A listening socket that another process holds, too, such as the service manager: clients that are not accepted
    /// here wait in its queue for the next process, or the next server in this one. It is never shut down, and its
    /// descriptor stays open.
    case inherited(CInt)
}

/// The server of one listening socket, for a process that goes on when it ends.
///
/// It does what Hummingbird's `Server` does, which binds only sockets of its own, and which crashes if it stops at the
/// moment of accepting a connection ("Deinited NIOAsyncWriter without calling finish()").
///
/// On a graceful shutdown it first stops accepting, then lets the connections finish what they have begun.
public struct ListeningServer<Child: ServerChildChannel, Limit: AvailableConnectionsDelegate>: Service {
    private let child: Child
    private let address: ListeningAddress
    private let limit: Limit
    private let logger: Logger
    private let onRunning: @Sendable (any Channel) async -> Void

    /// - Parameters:
    ///   - child: what serves one connection.
    ///   - limit: says when to accept no more connections.
    ///   - onRunning: called once it accepts.
    public init(
        _ child: Child, on address: ListeningAddress, limit: Limit, logger: Logger,
        onRunning: @escaping @Sendable (any Channel) async -> Void
    ) {
        self.child = child
        self.address = address
        self.limit = limit
        self.logger = logger
        self.onRunning = onRunning
    }

    /// - Throws: if it cannot listen.
    public func run() async throws {
        let acceptor = Acceptor()
        let listener = try await listen(acceptor)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                guard (try? await gracefulShutdown()) != nil else { return }  // cancelled: it has ended
                await acceptor.stop(listener.channel)
            }
            await onRunning(listener.channel)
            await serve(listener)
            group.cancelAll()
        }
    }

    private func listen(_ acceptor: Acceptor) async throws -> NIOAsyncChannel<Child.Value, Never> {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.backlog, value: SOMAXCONN)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { [limit, address] channel in
                channel.eventLoop.makeCompletedFuture {
                    // NIO has set its own length of the queue, which is too short for a restart.
                    if case let .inherited(descriptor) = address { Glibc.listen(descriptor, SOMAXCONN) }
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
        case let .path(path):
            return try await bootstrap.bind(unixDomainSocketPath: path, childChannelInitializer: setUp)
        case let .host(host, port):
            return try await bootstrap.bind(host: host, port: port, childChannelInitializer: setUp)
        case let .inherited(descriptor):
            // NIO closes what it is given.
            let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            guard own >= 0 else { throw IOError(errnoCode: errno, reason: "dup of the listening socket") }
            return try await bootstrap.bind(own, childChannelInitializer: setUp)
        }
    }

    private func serve(_ listener: NIOAsyncChannel<Child.Value, Never>) async {
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
        // A connection that was accepted just now is set up in a few steps, on its event loop and on the listener's.
        // Closed before that, the listener would drop it.
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
