import ControlSurface
import HTTPServing
import Khipu
import Lighting
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// When the server looks whether it listens on TCP as it should.
struct TCPListening: Sendable {
    enum Cause: Sendable {
        case settings
        case retry
    }

    /// How long after an attempt to listen the next one comes, if TCP is on and listens nowhere: a machine may get its
    /// address, its DNS or a free port late.
    static let retryInterval = Duration.seconds(10)

    /// The newest counts.
    let causes: AsyncStream<Cause>
    private let cause: AsyncStream<Cause>.Continuation
    private let failures: AsyncStream<Void>
    private let failure: AsyncStream<Void>.Continuation

    init() {
        (causes, cause) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (failures, failure) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func consider(_ cause: Cause) { self.cause.yield(cause) }

    func retryLater() { failure.yield() }

    func finish() { cause.finish() }

    /// Runs until it is cancelled.
    func retry(_ clock: Clock) async {
        for await _ in failures {
            await clock.sleep(for: Self.retryInterval)
            consider(.retry)
        }
    }
}

/// Where TCP listens, and why not where it should.
struct TCPState: Sendable {
    struct Listener: Equatable {
        let host: String
        let port: Int
        let isEncrypted: Bool
    }

    var listener: Listener?
    var failure: TCPFailure?
}

/// Why it is impossible to listen on TCP.
struct TCPFailure: Error, Equatable, CustomStringConvertible {
    let problem: String
    /// What helps, with a reload after it.
    let remedy: String

    var description: String { "\(problem); \(remedy)" }

    init(listeningOn tcp: ControlServerSettings.TCP, _ error: any Error) {
        let place = "\(tcp.host), port \(tcp.port)"
        switch error {
        case let error as SocketAddressError.UnknownHost:
            problem = "cannot listen on '\(tcp.host)': \(error.errorDescription)"
            remedy = "set 'tcp.host' to an address of this machine"
        case let error as IOError where error.errnoCode == EADDRINUSE:
            problem = "cannot listen on \(place): another program uses it"
            remedy = "free it, or choose another 'tcp.port'"
        case let error as IOError:
            problem = "cannot listen on \(place): \(String(cString: strerror(error.errnoCode)))"
            remedy = "set 'tcp.host' and 'tcp.port' to what lightd may use"
        default:
            problem = "cannot listen on \(place): \(error)"
            remedy = "set 'tcp.host' and 'tcp.port' to what lightd may use"
        }
    }
}

extension ControlServer {
    /// Listens on TCP as the settings say, until a graceful shutdown. If that fails, it is logged; what listens already
    /// stays, and if nothing does, it is tried again.
    ///
    /// - Parameter tried: called after the first attempt, with the port if it listens.
    func listenOnTCP(_ tried: @escaping @Sendable (_ port: Int?) -> Void) async {
        await withDiscardingTaskGroup { group in
            func open(_ tcp: ControlServerSettings.TCP, at port: Int) async throws -> TCPListener {
                let listener = TCPListener(tcp, port)
                group.addTask { await serve(listener) }
                noteTCP(try await listener.listening.value)
                return listener
            }
            var current: TCPListener?
            /// - Throws: if it cannot listen where it should.
            func followSettings() async throws {
                if current?.closed.isFulfilled == true { current = nil }
                guard let tcp = api.settings.tcp else {
                    guard let listener = current.take() else { return }
                    await listener.close()
                    api.logger.info("the control API no longer listens on TCP")
                    return
                }
                if let current, current.settings.isSameListener(as: tcp) { return }
                let old = current
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
            }
            var cause: TCPListening.Cause? = .settings
            var causes = tcp.causes.makeAsyncIterator()
            while let because = cause {
                do {
                    try await followSettings()
                    api.tcpState.withLock { $0.failure = nil }
                    if current != nil { warn() }
                } catch let error where !(error is CancellationError) {
                    note(error, staying: current, because)
                    if current == nil { tcp.retryLater() }
                } catch {}  // everything ends
                tried(current?.port)
                cause = await causes.next()
            }
        }
    }

    private func note(_ error: any Error, staying listener: TCPListener?, _ cause: TCPListening.Cause) {
        guard let tcp = api.settings.tcp else { return }
        let failure = TCPFailure(listeningOn: tcp, error)
        let last = api.tcpState.withLock { state in
            defer { state.failure = failure }
            return state.failure
        }
        let seconds = TCPListening.retryInterval.components.seconds
        var standing = "TCP is off, and is tried again every \(seconds) s"
        if let listener, let port = listener.port {
            standing = "TCP stays at \(ControlServerSettings.TCP.address(listener.settings.host, port))"
        }
        // An attempt that nobody has asked for is news only if it is another failure.
        let level: Logger.Level = cause == .retry && failure == last ? .debug : .error
        api.logger.log(level: level, "\(standing): \(failure), then reload lightd")
    }

    private func noteTCP(_ port: Int) {
        api.logger.info("the control API listens on TCP", metadata: ["port": "\(port)"])
        if api.tokens.isEmpty {
            api.logger.notice(
                "no client can use TCP yet: 'lightctl open' lets a page in, 'lightctl token create NAME' a program")
        }
    }

    /// Says what a person would not see otherwise until it is too late: once for each start and reload.
    private func warn() {
        guard let tcp = api.settings.tcp, let fault = tcp.privacyFault(at: api.surface.clock.now()) else { return }
        api.logger.warning("\(fault.problem); \(fault.remedy)")
    }

    /// Listens until it is told to close, or everything ends.
    private func serve(_ listener: TCPListener) async {
        let tcp = listener.settings
        let settings: @Sendable () -> ControlServerSettings.TCP = { [live = api.liveSettings] in
            // While it is being closed, the settings may have no TCP any more; and it may have stayed at its address.
            var settings = live.value.tcp ?? tcp
            (settings.host, settings.port) = (tcp.host, tcp.port)
            // Its connections keep to what it was opened for, with the newest certificate.
            settings.certificate = tcp.certificate.map { settings.certificate ?? $0 }
            return settings
        }
        let access = TCPAccess(settings, api.tokens, api.attempts)
        let address = ListeningAddress.host(tcp.host, port: listener.requestedPort)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await service(.tcp(access), on: address) { channel in
                        let port = channel.localAddress?.port ?? tcp.port
                        api.tcpState.withLock { $0.listener = tcp.listener(at: port) }
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
            api.tcpState.withLock { if $0.listener == tcp.listener(at: port) { $0.listener = nil } }
        }
        listener.closed.fulfil()
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
    fileprivate func isSameListener(as other: Self) -> Bool { listener(at: port) == other.listener(at: other.port) }

    fileprivate func listener(at port: Int) -> TCPState.Listener {
        TCPState.Listener(host: host, port: port, isEncrypted: certificate != nil)
    }

    /// Why others on the way can read what is sent, or why browsers refuse to send it, and what helps.
    func privacyFault(at now: Timestamp) -> (problem: String, remedy: String)? {
        if let certificate {
            return certificate.fault(at: now).map { ($0, "renew it, then run 'systemctl reload lightd'") }
        }
        // A proxy is there for TLS, and reaches lightd where nobody else is.
        guard !isLoopback, proxies.isEmpty else { return nil }
        return (
            "TCP is not encrypted: whoever is on the network of \(host) can read tokens on their way, and use them",
            "set 'tcp.tls', or lead a proxy with TLS to 'tcp: {host: 127.0.0.1}', or keep TCP off and use "
                + "'lightctl --url ssh://HOST'"
        )
    }
}
