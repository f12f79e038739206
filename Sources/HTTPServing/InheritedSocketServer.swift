import Glibc
public import HummingbirdCore
public import Logging
public import NIOCore
import NIOPosix
public import ServiceLifecycle
import Synchronization

/// The server of a listening socket that another process holds, too, such as the service manager: clients that are not
/// accepted here wait in its queue for the next process.
///
/// It does what Hummingbird's `Server` does, which can only bind sockets of its own. It never shuts the socket down,
/// and leaves its descriptor open for the next server within this process.
///
/// On a graceful shutdown it first stops accepting, then lets the connections finish what they have begun.
public struct InheritedSocketServer<Child: ServerChildChannel, Limit: AvailableConnectionsDelegate>: Service {
    private let child: Child
    private let descriptor: CInt
    private let limit: Limit
    private let logger: Logger
    private let onRunning: @Sendable (any Channel) async -> Void

    /// - Parameters:
    ///   - child: what serves one connection.
    ///   - descriptor: of the socket, which listens already.
    ///   - limit: says when to accept no more connections.
    ///   - onRunning: called once it accepts.
    public init(
        _ child: Child, on descriptor: CInt, limit: Limit, logger: Logger,
        onRunning: @escaping @Sendable (any Channel) async -> Void
    ) {
        self.child = child
        self.descriptor = descriptor
        self.limit = limit
        self.logger = logger
        self.onRunning = onRunning
    }

    /// - Throws: if the descriptor is not a listening socket, or the process may open no other.
    public func run() async throws {
        // NIO closes what it is given.
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { throw IOError(errnoCode: errno, reason: "dup of the listening socket") }
        let acceptor = Acceptor()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelInitializer { [limit, descriptor] channel in
                channel.eventLoop.makeCompletedFuture {
                    // NIO has set its own length of the queue, which is too short for a restart.
                    listen(descriptor, SOMAXCONN)
                    try channel.pipeline.syncOperations.addHandlers([
                        acceptor, AvailableConnectionsChannelHandler(delegate: limit),
                    ])
                }
            }
            .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            .bind(own) { [child, logger] in child.setup(channel: $0, logger: logger) }
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
