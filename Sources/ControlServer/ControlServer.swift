public import ControlSurface
import Executors
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
    let api: ControlAPI
    let tcp = TCPListening()
    /// Answers what other surfaces bring.
    let relayed: RouterResponder<APIContext>
    private let clock: Clock
    private let socketOpened = Promise<String>()
    private let triedTCP = Promise<Int?>()

    /// - Parameters:
    ///   - savedTokens: those that the archive contains.
    ///   - archive: where tokens are kept.
    ///   - accessLog: where it is noted who was let in, and who was not.
    ///   - backups: of what lightd keeps. Restoring one ends this server soon after it has answered.
    public init(
        _ surface: ControlSurface, settings: ControlServerSettings, savedTokens: [AccessToken],
        archive: TokenArchive, accessLog: AccessLog, backups: StateBackups, logger: Logger
    ) {
        clock = surface.clock
        let audit = AccessAudit(accessLog, clock: clock, logger: logger)
        let tokens = AccessTokens(
            configured: settings.tcp?.token, saved: savedTokens, archive: archive, now: clock.now,
            ended: { audit.record(.tokenEnded, $0, by: .lightd, because: $1) })
        let attempts = SecretAttempts(now: settings.uptime, logger: logger)
        api = ControlAPI(surface, Live(settings), tokens, attempts, audit, backups, logger)
        relayed = api.router().buildResponder()
    }

    /// Changes what concerns TCP: its listener is opened, closed or moved, names and proxies count from the next
    /// request on, and what was signed in by a token that was replaced ends. The unix socket and its streams stay. If it
    /// cannot listen at another address, that is logged, it stays where it is, and the next call tries again. If it
    /// listens nowhere, it also tries again by itself.
    public func apply(_ tcp: ControlServerSettings.TCP?) {
        api.liveSettings.value.tcp = tcp
        api.tokens.configure(tcp?.token)
        self.tcp.consider(.settings)
    }

    /// The path of the unix socket, once it is served.
    ///
    /// - Throws: what ``run()`` throws if it cannot listen on it.
    public var socket: String {
        get async throws { try await socketOpened.value }
    }

    /// The port of TCP, once it listens there; `nil` if TCP is off, or the first attempt to listen has failed.
    public var port: Int? {
        get async throws { try await triedTCP.value }
    }

    /// Returns once it has tried to listen on TCP, if TCP is on, or after this long: DNS may take half a minute.
    public func waitForTCP(atMost limit: Duration) async {
        await withTaskGroup { group in
            group.addTask { [triedTCP] in _ = try? await triedTCP.value }
            group.addTask { [clock] in await clock.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Returns once every thread that serves connections has come to this call, or when the task is cancelled: for a
    /// watchdog.
    public func ping() async {
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            let (untilReached, reached) = AsyncStream<Never>.makeStream()
            loop.execute { reached.finish() }
            for await _ in untilReached {}
        }
        for executor in [api.local, api.network] { await executor.ping() }
    }

    /// - Throws: if it cannot listen on the unix socket. TCP may come later: without it, a home is still controlled.
    public func run() async throws {
        // Stopped before it listened: those who wait for that must not wait for ever.
        var end: any Error = CancellationError()
        defer {
            socketOpened.fulfil(.failure(end))
            triedTCP.fulfil(.failure(end))
        }
        do {
            try await serve()
        } catch {
            end = error
            throw error
        }
    }

    private enum End: Sendable {
        case listener
        case deadline
        case other
    }

    private func serve() async throws {
        let socket = api.settings.socket
        defer {
            api.stopping.fulfil()
            api.abandoning.fulfil()
            api.tokens.noteUses()
            api.audit.finish()
        }
        try await withThrowingTaskGroup(of: End.self) { group in
            group.addTask {
                try await service(.socket, on: .listening(try socket.duplicate())) { _ in
                    socketOpened.fulfil(.success(socket.path))
                }.run()
                return .listener
            }
            group.addTask {
                await listenOnTCP { triedTCP.fulfil(.success($0)) }
                return .listener
            }
            group.addTask {
                await tcp.retry(clock)
                return .other
            }
            group.addTask {
                await api.tokens.retryDeleting(clock)
                return .other
            }
            group.addTask {
                await api.relayChanges()
                return .other
            }
            group.addTask {
                try await gracefulShutdown()
                tcp.finish()
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
                case .deadline: return
                case .other: break
                }
            }
        }
    }

    func service(
        _ policy: AccessPolicy, on address: ListeningAddress, running: @escaping @Sendable (any Channel) async -> Void
    ) throws -> any Service {
        var logger = api.logger
        // At "info" Hummingbird would log the socket's temporary path.
        logger.logLevel = max(logger.logLevel, .warning)
        let (listener, maximum, maximumStreams, executor) =
            if case .tcp = policy, let tcp = api.settings.tcp {
                ("TCP", tcp.maximumConnections, tcp.maximumStreams, api.network)
            } else {
                (api.settings.socket.path, api.settings.maximumConnections, api.settings.maximumStreams, api.local)
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
            LimitedHTTP1Channel(
                limit, timeouts, certificate: { policy.certificate }, logger: api.logger,
                responder.serving(logger: logger)),
            on: address, limit: limit, executor: executor, logger: logger, onRunning: listens)
    }
}
