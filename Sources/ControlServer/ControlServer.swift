public import ControlSurface
import HTTPServing
import Hummingbird
import HummingbirdCore
public import Lighting
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Serves the control API: HTTP over a unix socket, and over TCP if that is configured.
///
/// On a graceful shutdown it refuses new requests and ends its streams at once. Commands under way have 300 ms to
/// finish and are then answered without their outcome; 400 ms later it closes the connections that are still open.
public struct ControlServer: Service {
    private let api: ControlAPI
    private let tcp: TCPAccess?
    private let clock: Clock
    private let started = Promise<(socket: String, port: Int?)>()

    /// - Parameters:
    ///   - savedTokens: those that the archive contains.
    ///   - archive: where tokens are kept.
    ///   - backups: of what lightd keeps. Restoring one ends this server soon after it has answered.
    public init(
        _ surface: ControlSurface, settings: ControlServerSettings, savedTokens: [AccessToken],
        archive: TokenArchive, backups: StateBackups, logger: Logger
    ) {
        clock = surface.clock
        let tokens = AccessTokens(
            configured: settings.tcp?.token, saved: savedTokens, archive: archive, now: clock.now)
        let attempts = SecretAttempts(now: clock.now, logger: logger)
        api = ControlAPI(surface, settings, tokens, attempts, backups, logger)
        tcp = settings.tcp.map { TCPAccess($0, tokens, attempts) }
    }

    /// Where it listens, once it does; the port if TCP is on.
    ///
    /// - Throws: what ``run()`` throws if it cannot listen.
    public var listening: (socket: String, port: Int?) {
        get async throws { try await started.value }
    }

    /// Returns once every thread that serves connections has come to this call, or when the task is cancelled: for a
    /// watchdog.
    public func ping() async {
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            let (untilReached, reached) = AsyncStream<Never>.makeStream()
            loop.execute { reached.finish() }
            for await _ in untilReached {}
        }
    }

    /// - Throws: ``ControlServerError`` if it cannot listen.
    public func run() async throws {
        do {
            try await serve()
            // Stopped before it listened: those who wait for that must not wait for ever.
            started.fulfil(.failure(CancellationError()))
        } catch {
            started.fulfil(.failure(error))
            throw error
        }
    }

    private enum End: Sendable {
        case listener
        case relay
        case deadline
    }

    private func serve() async throws {
        let socket: ListeningSocket
        var file: SocketFile?
        if let inherited = api.settings.inherited {
            inherited.give(to: api.settings.socketGroup, logger: api.logger)
            socket = .inherited(inherited)
        } else {
            let made = try SocketFile(preparing: api.settings.socket, group: api.settings.socketGroup)
            file = made
            socket = .bound(to: .unixDomainSocket(path: made.temporaryPath))
        }
        defer {
            api.stopping.fulfil()
            api.abandoning.fulfil()
            api.tokens.noteUses()
            file?.remove()
        }
        let listeners = OpenSockets(count: api.settings.tcp == nil ? 1 : 2, socket: api.settings.socket)
        let (publishErrors, publishError) = AsyncStream<ControlServerError>.makeStream()
        try await withThrowingTaskGroup(of: End.self) { [file] group in
            group.addTask {
                try await service(.socket, on: socket) { _ in
                    do {
                        try file?.publish()
                        opened(listeners.opened(port: nil))
                    } catch let error as ControlServerError {
                        publishError.yield(error)
                    } catch {
                        publishError.yield(ControlServerError("\(error)"))
                    }
                }.run()
                return .listener
            }
            if let tcp, let settings = api.settings.tcp {
                group.addTask {
                    try await listen(on: settings, tcp) { port in
                        api.tcpPort.withLock { $0 = port }
                        opened(listeners.opened(port: port))
                    }
                    return .listener
                }
            }
            group.addTask {
                await api.relayChanges()
                return .relay
            }
            group.addTask {
                for await error in publishErrors { throw error }
                return .deadline
            }
            group.addTask {
                try await gracefulShutdown()
                api.stopping.fulfil()
                await clock.sleep(for: .milliseconds(300))
                api.abandoning.fulfil()
                await clock.sleep(for: .milliseconds(400))
                return .deadline
            }
            defer { group.cancelAll() }
            var open = listeners.count
            while open > 0, let end = try await group.next() {
                switch end {
                case .listener: open -= 1
                case .relay: break
                case .deadline: return
                }
            }
        }
    }

    private func listen(
        on tcp: ControlServerSettings.TCP, _ access: TCPAccess, opened: @escaping @Sendable (_ port: Int) -> Void
    ) async throws {
        do {
            try await service(.tcp(access), on: .bound(to: .hostname(tcp.host, port: tcp.port))) { channel in
                opened(channel.localAddress?.port ?? tcp.port)
            }.run()
        } catch let error as IOError {
            throw ControlServerError(
                "cannot listen on \(tcp.host), port \(tcp.port): \(String(cString: strerror(error.errnoCode)))")
        } catch let error as SocketAddressError {
            throw ControlServerError("cannot listen on '\(tcp.host)': \(error)")
        }
    }

    private func opened(_ listening: (socket: String, port: Int?)?) {
        guard let listening else { return }
        if let port = listening.port {
            api.logger.info("the control API listens on TCP", metadata: ["port": "\(port)"])
            if api.tokens.isEmpty {
                api.logger.notice(
                    "no client can use TCP yet: 'lightctl open' lets a page in, 'lightctl token create NAME' a program"
                )
            }
        }
        started.fulfil(.success(listening))
    }

    private func service(
        _ policy: AccessPolicy, on socket: ListeningSocket, running: @escaping @Sendable (any Channel) async -> Void
    ) throws -> any Service {
        var logger = api.logger
        // At "info" Hummingbird would log the socket's temporary path.
        logger.logLevel = max(logger.logLevel, .warning)
        let (listener, maximum, maximumStreams) =
            if case .tcp = policy, let tcp = api.settings.tcp {
                ("TCP", tcp.maximumConnections, tcp.maximumStreams)
            } else {
                (api.settings.socket, api.settings.maximumConnections, api.settings.maximumStreams)
            }
        let limit = ConnectionLimit(listener, maximum, now: clock.now, logger: api.logger)
        // A token that leaks must not keep all others from following.
        let streams = ConcurrencyLimit<String>(maximumStreams, ofClient: max(1, maximumStreams / 2))
        let timeouts = api.settings.timeouts
        let responder = api.router(policy, limit, streams).buildResponder()
        let listens: @Sendable (any Channel) async -> Void = { channel in
            limit.listens(on: channel)
            await running(channel)
        }
        switch socket {
        case let .bound(address):
            return try HTTPServerBuilder { LimitedHTTP1Channel(limit, timeouts, $0) }
                .service(of: responder, at: address, limit: limit, logger: logger, onRunning: listens)
        case let .inherited(socket):
            return InheritedSocketServer(
                LimitedHTTP1Channel(limit, timeouts, responder.serving(logger: logger)), on: socket.descriptor,
                limit: limit, logger: logger, onRunning: listens)
        }
    }
}

/// What a listener of the API listens on.
private enum ListeningSocket: Sendable {
    case bound(to: BindAddress)
    case inherited(InheritedSocket)
}

/// Counts the listening sockets that are open.
private final class OpenSockets: Sendable {
    let count: Int
    private let socket: String
    private let state: Mutex<(open: Int, port: Int?)>

    init(count: Int, socket: String) {
        self.count = count
        self.socket = socket
        state = Mutex((0, nil))
    }

    /// Where all of them listen, now that one more is open; `nil` until the last one is.
    func opened(port: Int?) -> (socket: String, port: Int?)? {
        state.withLock { state in
            state.open += 1
            state.port = port ?? state.port
            return state.open == count ? (socket, state.port) : nil
        }
    }
}
