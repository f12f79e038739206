public import ControlSurface
import HTTPServing
import Hummingbird
import HummingbirdCore
import Khipu
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
    /// What to listen on, if that changes. The newest counts.
    private let tcpChanges: AsyncStream<Void>
    private let tcpChange: AsyncStream<Void>.Continuation
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
        api = ControlAPI(surface, Live(settings), tokens, attempts, backups, logger)
        (tcpChanges, tcpChange) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Changes what concerns TCP: its listener is opened, closed or moved, names and proxies count from the next
    /// request on, and what was signed in by a token that was replaced ends. The unix socket and its streams stay. If it
    /// cannot listen at another address, that is logged, it stays where it is, and the next call tries again.
    public func apply(_ tcp: ControlServerSettings.TCP?) {
        api.liveSettings.value.tcp = tcp
        api.tokens.configure(tcp?.token)
        tcpChange.yield()
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
        let socket = api.settings.socket
        defer {
            api.stopping.fulfil()
            api.abandoning.fulfil()
            api.tokens.noteUses()
        }
        let listeners = OpenSockets(count: api.settings.tcp == nil ? 1 : 2, socket: socket.path)
        try await withThrowingTaskGroup(of: End.self) { group in
            group.addTask {
                try await service(.socket, on: .listening(try socket.duplicate())) { _ in
                    opened(listeners.opened(port: nil))
                }.run()
                return .listener
            }
            group.addTask {
                try await listenOnTCP { opened(listeners.opened(port: $0)) }
                return .listener
            }
            group.addTask {
                await api.relayChanges()
                return .relay
            }
            group.addTask {
                try await gracefulShutdown()
                tcpChange.finish()
                api.stopping.fulfil()
                await clock.sleep(for: .milliseconds(300))
                api.abandoning.fulfil()
                await clock.sleep(for: .milliseconds(400))
                return .deadline
            }
            defer { group.cancelAll() }
            var open = 2  // The unix socket, and TCP also if it is off.
            while open > 0, let end = try await group.next() {
                switch end {
                case .listener: open -= 1
                case .relay: break
                case .deadline: return
                }
            }
        }
    }

    /// Listens on TCP as the settings say, until a graceful shutdown.
    ///
    /// - Parameter opened: called once it listens for the first time.
    /// - Throws: if it cannot listen at the start. Later, that is logged, and TCP stays as it is.
    private func listenOnTCP(_ opened: @escaping @Sendable (_ port: Int) -> Void) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            func open(_ tcp: ControlServerSettings.TCP, at port: Int) async throws -> TCPListener {
                let listener = TCPListener(tcp, port)
                group.addTask { await serve(listener) }
                noteTCP(try await listener.listening.value)
                return listener
            }
            var current: TCPListener?
            if let tcp = api.settings.tcp {
                do {
                    let listener = try await open(tcp, at: tcp.port)
                    opened(try await listener.listening.value)
                    current = listener
                } catch let error where !(error is CancellationError) {
                    throw ControlServerError(listeningOn: tcp, error)
                }
            }
            for await _ in tcpChanges {
                if current?.closed.isFulfilled == true { current = nil }
                guard let tcp = api.settings.tcp else {
                    guard let listener = current.take() else { continue }
                    await listener.close()
                    api.logger.info("the control API no longer listens on TCP")
                    continue
                }
                if let current, current.settings.isSameListener(as: tcp) { continue }
                let old = current
                do {
                    do {
                        current = try await open(tcp, at: tcp.port)
                        await old?.close()
                    } catch let error as IOError where error.errnoCode == EADDRINUSE {
                        // Perhaps it is lightd that uses this port, at another address.
                        guard let old, let port = old.port, port == tcp.port else { throw error }
                        await old.close()
                        current = nil
                        do {
                            current = try await open(tcp, at: port)
                        } catch {
                            current = try? await open(old.settings, at: port)
                            throw error
                        }
                    }
                } catch let error where !(error is CancellationError) {
                    noteFailure(ControlServerError(listeningOn: tcp, error), staying: current)
                }
            }
        }
    }

    private func noteFailure(_ error: ControlServerError, staying listener: TCPListener?) {
        var standing = "TCP is off"
        if let listener, let port = listener.port {
            standing = "TCP stays at \(ControlServerSettings.TCP.address(listener.settings.host, port))"
        }
        api.logger.error("\(standing): \(error), then reload lightd")
    }

    /// Listens until it is told to close, or everything ends.
    private func serve(_ listener: TCPListener) async {
        let tcp = listener.settings
        let settings: @Sendable () -> ControlServerSettings.TCP = { [live = api.liveSettings] in
            // While it is being closed, the settings may have no TCP any more; and it may have stayed at its address.
            var settings = live.value.tcp ?? tcp
            (settings.host, settings.port) = (tcp.host, tcp.port)
            return settings
        }
        let access = TCPAccess(settings, api.tokens, api.attempts)
        let address = ListeningAddress.host(tcp.host, port: listener.requestedPort)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await service(.tcp(access), on: address) { channel in
                        let port = channel.localAddress?.port ?? tcp.port
                        api.listeningOnTCP.withLock { $0 = (tcp.host, port) }
                        listener.listening.fulfil(.success(port))
                    }.run()
                }
                // Cancelled: the server ends in any case.
                group.addTask { try? await listener.end.value }
                defer { group.cancelAll() }
                try await group.next()
            }
            listener.listening.fulfil(.failure(CancellationError()))
        } catch {
            listener.listening.fulfil(.failure(error))
        }
        if let port = listener.port {
            // Not if it has moved already.
            api.listeningOnTCP.withLock { if let now = $0, now == (tcp.host, port) { $0 = nil } }
        }
        listener.closed.fulfil()
    }

    private func opened(_ listening: (socket: String, port: Int?)?) {
        guard let listening else { return }
        started.fulfil(.success(listening))
    }

    private func noteTCP(_ port: Int) {
        api.logger.info("the control API listens on TCP", metadata: ["port": "\(port)"])
        if api.tokens.isEmpty {
            api.logger.notice(
                "no client can use TCP yet: 'lightctl open' lets a page in, 'lightctl token create NAME' a program")
        }
    }

    private func service(
        _ policy: AccessPolicy, on address: ListeningAddress, running: @escaping @Sendable (any Channel) async -> Void
    ) throws -> any Service {
        var logger = api.logger
        // At "info" Hummingbird would log the socket's temporary path.
        logger.logLevel = max(logger.logLevel, .warning)
        let (listener, maximum, maximumStreams) =
            if case .tcp = policy, let tcp = api.settings.tcp {
                ("TCP", tcp.maximumConnections, tcp.maximumStreams)
            } else {
                (api.settings.socket.path, api.settings.maximumConnections, api.settings.maximumStreams)
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
        return ListeningServer(
            LimitedHTTP1Channel(limit, timeouts, responder.serving(logger: logger)), on: address, limit: limit,
            logger: logger, onRunning: listens)
    }
}

/// One listening socket of TCP.
private struct TCPListener: Sendable {
    let settings: ControlServerSettings.TCP
    /// 0: the system chooses one.
    let requestedPort: Int
    /// The port, once it listens.
    let listening = Promise<Int>()
    let end = Promise<Void>()
    let closed = Promise<Void>()

    init(_ settings: ControlServerSettings.TCP, _ requestedPort: Int) {
        (self.settings, self.requestedPort) = (settings, requestedPort)
    }
}

extension TCPListener {
    /// `nil` unless it listens, or did.
    var port: Int? { try? listening.result?.get() }

    /// Returns when it and its connections are closed.
    func close() async {
        end.fulfil()
        // Cancelled: it is closed with everything else.
        try? await closed.value
    }
}

extension ControlServerSettings.TCP {
    fileprivate func isSameListener(as other: Self?) -> Bool { host == other?.host && port == other?.port }
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
