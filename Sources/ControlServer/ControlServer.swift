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
    /// request on, and what was signed in by a token that was replaced ends. The unix socket and its streams stay.
    public func apply(_ settings: ControlServerSettings) {
        api.liveSettings.value.tcp = settings.tcp
        api.tokens.configure(settings.tcp?.token)
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
        let socket: ListeningAddress
        var file: SocketFile?
        if let inherited = api.settings.inherited {
            inherited.give(to: api.settings.socketGroup, logger: api.logger)
            socket = .inherited(inherited.descriptor)
        } else {
            let made = try SocketFile(preparing: api.settings.socket, group: api.settings.socketGroup)
            file = made
            socket = .path(made.temporaryPath)
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
            group.addTask {
                try await listenOnTCP { opened(listeners.opened(port: $0)) }
                return .listener
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
    /// - Throws: if it cannot listen at the start. Later, that is logged, and TCP stays off.
    private func listenOnTCP(_ opened: @escaping @Sendable (_ port: Int) -> Void) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            var current: TCPListener?
            func open(orThrow isStart: Bool) {
                guard let tcp = api.settings.tcp else { return }
                let listener = TCPListener(tcp)
                current = listener
                group.addTask {
                    defer { listener.closed.fulfil() }
                    do {
                        try await listen(on: tcp, until: listener.end) { port in
                            api.tcpPort.withLock { $0 = port }
                            noteTCP(port)
                            if isStart { opened(port) }
                        }
                    } catch {
                        guard !isStart else {
                            // The group's error ends its other tasks, but not the loop below.
                            tcpChange.finish()
                            throw error
                        }
                        api.logger.error("TCP is off: \(error)")
                    }
                    api.tcpPort.withLock { $0 = nil }
                }
            }
            open(orThrow: true)
            for await _ in tcpChanges {
                if current.map({ $0.settings.isSameListener(as: api.settings.tcp) && !$0.closed.isFulfilled }) == true {
                    continue
                }
                if let listener = current.take() {
                    listener.end.fulfil()
                    // Cancelled: it is closed with everything else.
                    try? await listener.closed.value
                    if api.settings.tcp == nil { api.logger.info("the control API no longer listens on TCP") }
                }
                open(orThrow: false)
            }
        }
    }

    private func listen(
        on tcp: ControlServerSettings.TCP, until end: Promise<Void>,
        opened: @escaping @Sendable (_ port: Int) -> Void
    ) async throws {
        // While it is being closed, the settings may have no TCP any more.
        let access = TCPAccess({ [live = api.liveSettings] in live.value.tcp ?? tcp }, api.tokens, api.attempts)
        let listening = Promise<any Channel>()
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await service(.tcp(access), on: .host(tcp.host, port: tcp.port)) { channel in
                        listening.fulfil(.success(channel))
                        opened(channel.localAddress?.port ?? tcp.port)
                    }.run()
                }
                group.addTask {
                    // Cancelled: the listener has ended. Otherwise its connections end when it is closed.
                    guard (try? await end.value) != nil, let channel = try? await listening.value else { return }
                    try? await channel.close().get()
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch let error as IOError {
            throw ControlServerError(
                "cannot listen on \(tcp.host), port \(tcp.port): \(String(cString: strerror(error.errnoCode)))")
        } catch let error as SocketAddressError {
            throw ControlServerError("cannot listen on '\(tcp.host)': \(error)")
        }
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
        return ListeningServer(
            LimitedHTTP1Channel(limit, timeouts, responder.serving(logger: logger)), on: address, limit: limit,
            logger: logger, onRunning: listens)
    }
}

/// One listening socket of TCP.
private struct TCPListener: Sendable {
    let settings: ControlServerSettings.TCP
    let end = Promise<Void>()
    let closed = Promise<Void>()

    init(_ settings: ControlServerSettings.TCP) { self.settings = settings }
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
