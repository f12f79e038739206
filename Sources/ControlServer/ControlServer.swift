import Hummingbird
public import Khipu
public import Lighting
public import Logging
import NIOCore
public import ServiceLifecycle
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// lightd's control API: HTTP over a unix socket, and over TCP where that is configured. What it speaks, `ControlProtocol` says.
///
/// On a graceful shutdown it takes nobody in any more, ends its streams at once, gives commands under way 300 ms to end by
/// themselves, and is gone after 700 ms also where a client neither reads nor goes.
public struct ControlServer: Service {
    private let api: ControlAPI
    private let listens = Promise<(socket: String, port: Int?)>()

    public init(_ home: ControlledHome, settings: ControlServerSettings, logger: Logger) {
        api = ControlAPI(home, settings, logger)
    }

    /// To be put at the end of the domain's list: wakes those who follow the log.
    public var receiver: Input<Message> { api.receiver }

    /// Where it listens, once it does; the port, where TCP is on.
    ///
    /// - Throws: why it could not, as ``run()`` does.
    public var listening: (socket: String, port: Int?) {
        get async throws { try await listens.value }
    }

    /// - Throws: ``ControlServerError`` where it cannot listen.
    public func run() async throws {
        do {
            try await serve()
            // Nobody may wait for ever on one that was stopped before it listened.
            listens.fulfil(.failure(CancellationError()))
        } catch {
            listens.fulfil(.failure(error))
            throw error
        }
    }

    private enum End: Sendable {
        case listener
        case watch
    }

    private func serve() async throws {
        let file = try SocketFile(preparing: api.settings.socket)
        defer { file.remove() }
        let subscription = await api.attach()
        let listeners = Listeners(count: api.settings.tcp == nil ? 1 : 2, socket: api.settings.socket)
        let result: Result<Void, any Error>
        do {
            try await listen(file, listeners)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        api.stop()
        api.abandonWaits()
        await subscription.cancel()
        try result.get()
    }

    private func listen(_ file: SocketFile, _ listeners: Listeners) async throws {
        let (troubles, trouble) = AsyncStream<ControlServerError>.makeStream()
        try await withThrowingTaskGroup(of: End.self) { group in
            group.addTask {
                try await application(.socket, at: .unixDomainSocket(path: file.workshop)) { _ in
                    do {
                        try file.publish()
                        opened(listeners.opened(port: nil))
                    } catch let error as ControlServerError {
                        trouble.yield(error)
                    } catch {
                        trouble.yield(ControlServerError("\(error)"))
                    }
                }.run()
                return .listener
            }
            if let tcp = api.settings.tcp {
                group.addTask {
                    do {
                        try await application(.tcp(tcp), at: .hostname(tcp.host, port: tcp.port)) { channel in
                            opened(listeners.opened(port: channel.localAddress?.port ?? tcp.port))
                        }.run()
                    } catch let error as IOError {
                        throw ControlServerError(
                            "cannot listen on \(tcp.host), port \(tcp.port): \(String(cString: strerror(error.errnoCode)))"
                        )
                    } catch let error as SocketAddressError {
                        throw ControlServerError("cannot listen on '\(tcp.host)': \(error)")
                    }
                    return .listener
                }
            }
            group.addTask {
                for await error in troubles { throw error }
                return .watch
            }
            group.addTask {
                try await gracefulShutdown()
                api.stop()
                try await Task.sleep(for: .milliseconds(300))
                api.abandonWaits()
                try await Task.sleep(for: .milliseconds(400))
                return .watch
            }
            defer { group.cancelAll() }
            var open = listeners.count
            while open > 0, let end = try await group.next() {
                switch end {
                case .listener: open -= 1
                // Time is up: somebody does not go.
                case .watch: return
                }
            }
        }
    }

    private func opened(_ listening: (socket: String, port: Int?)?) {
        guard let listening else { return }
        if let port = listening.port {
            api.logger.info("the control API listens on TCP", metadata: ["port": "\(port)"])
        }
        listens.fulfil(.success(listening))
    }

    private func application(
        _ access: AccessPolicy, at address: BindAddress, running: @escaping @Sendable (any Channel) async -> Void
    ) -> Application<Responder> {
        // What Hummingbird would say at "info" (an address that is not the socket's yet), we say ourselves.
        var logger = api.logger
        logger.logLevel = max(logger.logLevel, .warning)
        return Application(
            responder: Responder(api: api, access: access),
            // A client that begins a request and does not end it, or asks nothing more, is let go.
            server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: ApplicationConfiguration(address: address),
            onServerRunning: running,
            logger: logger
        )
    }
}

/// Counts the listeners that stand.
private final class Listeners: Sendable {
    let count: Int
    private let socket: String
    private let state: Mutex<(open: Int, port: Int?)>

    init(count: Int, socket: String) {
        self.count = count
        self.socket = socket
        state = Mutex((0, nil))
    }

    /// Where all listen, now that one more does; `nil` while one is missing.
    func opened(port: Int?) -> (socket: String, port: Int?)? {
        state.withLock { state in
            state.open += 1
            state.port = port ?? state.port
            return state.open == count ? (socket, state.port) : nil
        }
    }
}
