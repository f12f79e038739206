import FoundationEssentials
import Glibc
import HTTPServing
import HueWire
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOSSL
public import ServiceLifecycle

/// A Hue bridge in software: HTTPS with its own certificate, plain HTTP, an event stream, a link button, and a control
/// port that acts on it from outside.
public final class SimulatedBridge: Service {
    public let controls: BridgeControls
    private let settings: Settings
    private let logger: Logger
    private let core: BridgeCore
    private let lifecycle: AsyncStream<LifecycleChange>
    private let savedStates: AsyncStream<SavedState>
    private let currentCertificate: CurrentCertificate
    private let openPorts = OpenPorts()
    private let network = BridgeNetwork()
    private let clock: SimulationClock

    /// - Throws: if the state directory cannot be used, the home has too many lights, or it lacks the light of a quirk.
    public convenience init(_ settings: Settings, logger: Logger) throws {
        try self.init(settings, logger: logger, clock: .starting())
    }

    init(_ settings: Settings, logger: Logger, clock: SimulationClock) throws {
        self.settings = settings
        self.logger = logger
        self.clock = clock
        if let directory = settings.stateDirectory { try SavedStateFile(directory: directory).prepare() }
        let saved = try settings.stateDirectory.map { try SavedStateFile(directory: $0).read() } ?? nil
        let isSame = saved?.file == settings.file && saved?.seed == settings.seed
        try Self.check(settings)
        let home = (isSame ? saved?.home : nil) ?? SimulatedHome(settings.file, seed: settings.seed)
        for quirk in settings.quirks {
            try quirk.check(in: home)
            try quirk.checkAtStart()
        }
        let scale = settings.timeScale
        let (savedStates, state) = AsyncStream<SavedState>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.savedStates = savedStates
        let model = settings.file.bridge?.model ?? .square
        let derive = DerivedID(seed: settings.seed)
        let bridgeID = model.prefix + derive.bridge
        let isMine = isSame || saved?.home.bridge.id == bridgeID
        let currentCertificate = CurrentCertificate(
            try settings.certificate.map { try BridgeCertificate($0(bridgeID)) } ?? (isMine ? saved?.certificate : nil)
                ?? BridgeCertificate(bridgeID: bridgeID, seed: derive.certificateSeed(0)))
        self.currentCertificate = currentCertificate
        let saveState: @Sendable (SimulatedHome, [String: BridgeCore.Key], Int) -> Void = {
            [file = settings.file, seed = settings.seed, currentCertificate] in
            state.yield(
                SavedState(
                    file: file, seed: seed, keys: $1, pairings: $2, certificate: currentCertificate.certificate,
                    home: $0))
        }
        core = BridgeCore(
            BridgeCore.Configuration(
                home: home,
                keys: saved?.keys ?? [:],
                pairings: saved?.pairings ?? 0,
                seed: settings.seed,
                quirks: settings.quirks,
                network: network,
                pairingWindow: settings.buttonWindow,
                timeScale: scale,
                now: { clock.elapsed() * scale },
                elapsed: clock.elapsed,
                sleep: clock.sleep,
                saveState: settings.stateDirectory == nil ? nil : saveState
            ))
        let (lifecycle, change) = AsyncStream<LifecycleChange>.makeStream()
        self.lifecycle = lifecycle
        controls = BridgeControls(core: core, lifecycle: change)
        for quirk in settings.quirks { controls.interrupt(by: quirk, timeScale: scale) }
    }

    private static func check(_ settings: Settings) throws(SimulatedBridgeError) {
        let model = settings.file.bridge?.model ?? .square
        let (count, most) = (settings.file.rooms.flatMap(\.lights).count, settings.quirks.mostLights(model))
        guard count > most else { return }
        throw SimulatedBridgeError(
            "the home has \(count) lights, and a \(model.rawValue) takes \(most); "
                + "allow more with --quirk most-lights:\(count)"
                + (model == .square ? ", or simulate a Bridge Pro: --model BSB003" : ""))
    }

    /// The addresses, once the bridge listens. Throws the error if it cannot.
    public var ready: ConnectionDetails { get async throws { try await openPorts.open() } }

    /// Runs until it is cancelled or shut down gracefully; then all connections are cut.
    public func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await self.runUntilFirstEnds() }
        } catch is CancellationError {
            // The normal end.
        } catch {
            openPorts.fail(error)
            throw error
        }
        openPorts.fail(CancellationError())
    }

    /// Runs all tasks of the bridge until one of them ends or fails.
    private func runUntilFirstEnds() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.core.sendEvents(every: .seconds(1) / self.settings.timeScale) }
            group.addTask { try await self.runTimedWork() }
            group.addTask { try await self.writeSavedStates() }
            group.addTask { try await self.serveControl() }
            group.addTask { try await self.serveBridge() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Runs the bridge's timed work whenever something is due.
    private func runTimedWork() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for await due in core.wakeTimes {
                group.addTask {
                    try await self.waitUntil(due)
                    await self.core.runDueWork()
                }
            }
        }
    }

    /// - Parameter time: in the bridge's time.
    private func waitUntil(_ time: Duration) async throws {
        try await clock.sleep(max(.zero, time - core.now()) / settings.timeScale)
    }

    /// Writes the state to the state directory, if there is one, whenever it changes.
    private func writeSavedStates() async throws {
        if let directory = settings.stateDirectory {
            // At once: the certificate must survive even if no client ever connects.
            await core.save()
            for await state in savedStates { try SavedStateFile(directory: directory).write(state) }
        }
        try await untilCancelled()
    }

    private func serveControl() async throws {
        try await serve(
            ControlResponder(core: core, controls: controls, openPorts: openPorts), \.http, settings.host,
            settings.controlPort,
            "control port"
        ) { self.openPorts.opened(control: $0) }
    }

    // MARK: - The bridge's own ports

    private struct ServerAddress {
        var host: String
        var httpsPort: Int
        var httpPort: Int
    }

    /// Serves the bridge's ports, and starts the servers again after each change of its lifecycle.
    private func serveBridge() async throws {
        var address = ServerAddress(
            host: settings.host, httpsPort: settings.httpsPort, httpPort: settings.httpPort)
        var pause = Duration.zero
        while true {
            try Task.checkCancellation()
            if pause > .zero { try await clock.sleep(pause) }
            guard let change = try await runServers(at: address) else { return }
            let ready = try await openPorts.open()
            address.httpsPort = ready.httpsPort
            address.httpPort = ready.httpPort
            pause = .zero
            openPorts.closeBridge()
            switch change {
            case let .reboot(duration):
                pause = duration
                await core.rebooted()
            case let .move(target): address = moved(address, to: target)
            case .restart: break
            case .newCertificate:
                try currentCertificate.renew(await core.home.bridge.id, DerivedID(seed: settings.seed))
                await core.save()
            }
        }
    }

    /// The address after a move, while no server is running; the present one if the bridge cannot listen there.
    private func moved(_ address: ServerAddress, to target: ListenAddress) -> ServerAddress {
        var next = address
        next.host = target.host ?? address.host
        next.httpsPort = target.port
        if next.host != address.host {
            // Keeps the ports if they are free there.
            if target.port == 0, ListenAddress.canListen(next.host, address.httpsPort) {
                next.httpsPort = address.httpsPort
            }
            if !ListenAddress.canListen(next.host, next.httpPort) { next.httpPort = 0 }
        }
        let isTwice = next.httpsPort != 0 && next.httpsPort == next.httpPort
        if !isTwice, ListenAddress.canListen(next.host, next.httpsPort) { return next }
        // Port 0 is free on every address of this machine.
        let wanted = next.httpsPort == 0 ? next.host : "\(ListenAddress(host: next.host, port: next.httpsPort))"
        logger.warning("the bridge stays where it is", metadata: ["reason": "cannot listen on \(wanted)"])
        return address
    }

    /// Serves the bridge's ports until the next change of its lifecycle, and returns that.
    private func runServers(at address: ServerAddress) async throws -> LifecycleChange? {
        let certificate = try await presentedCertificate()
        let tls = try Self.tls(certificate, upTo: settings.newestTLS)
        let onlyHTTP1 = await core.lasting(.http1) != nil
        let model = await core.home.bridge.model
        let details = ConnectionDetails(
            name: await core.home.bridge.name, bridgeID: await core.home.bridge.id, model: model.rawValue,
            host: address.host, httpsPort: 0, httpPort: 0, controlPort: 0, pin: certificate.pin,
            fingerprint: certificate.fingerprint)
        if !model.hasTLS { openPorts.opened(https: 0, details) }
        return try await withThrowingTaskGroup(of: LifecycleChange?.self) { group in
            if model.hasTLS {
                group.addTask {
                    try await self.serve(
                        self.responder(isSecure: true), { $0.https(tls, onlyHTTP1: onlyHTTP1) }, address.host,
                        address.httpsPort, "HTTPS port", on: self.network
                    ) { self.openPorts.opened(https: $0, details) }
                    return nil
                }
            }
            group.addTask {
                if model.redirects {
                    let redirect = HTTPSRedirect { try await self.openPorts.open().httpsPort }
                    try await self.serve(
                        redirect, \.http, address.host, address.httpPort, "HTTP port", on: self.network
                    ) {
                        self.openPorts.opened(http: $0)
                    }
                } else {
                    try await self.serve(
                        self.responder(isSecure: false), \.http, address.host, address.httpPort, "HTTP port",
                        on: self.network
                    ) { self.openPorts.opened(http: $0) }
                }
                return nil
            }
            group.addTask {
                for await change in self.lifecycle { return change }
                return nil
            }
            if let end = await core.nextRestart {
                group.addTask {
                    try await self.waitUntil(end)
                    // By the stream like all other changes: cancelling the task that reads the stream would end it.
                    self.controls.lifecycle.yield(.restart)
                    try await untilCancelled()
                    return nil
                }
            }
            if settings.advertises, model.hasTLS {
                group.addTask {
                    try await Advertisement(self.logger).run(try await self.openPorts.open())
                    return nil
                }
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// The bridge's own certificate, or the one of a fault.
    private func presentedCertificate() async throws -> BridgeCertificate {
        guard let fault = await core.lasting(.certificate) else { return currentCertificate.certificate }
        let derive = DerivedID(seed: settings.seed)
        // A number that no factory reset reaches, so the key is another one.
        let isRenewed = fault.text == nil || fault.text == "renewed"
        let number =
            isRenewed ? 1_000_000 + currentCertificate.certificate.number : currentCertificate.certificate.number
        return try BridgeCertificate(
            bridgeID: await core.home.bridge.id, seed: derive.certificateSeed(number), number: number,
            as: fault.text.flatMap(BridgeCertificate.Variant.init) ?? .usual)
    }

    private func responder(isSecure: Bool) -> BridgeResponder {
        BridgeResponder(core: core, isSecure: isSecure)
    }

    private func serve(
        _ responder: some HTTPResponder<some InitializableFromSource<ApplicationRequestContextSource> & RequestContext>,
        _ server: (ConnectionCutter) -> HTTPServerBuilder, _ host: String, _ port: Int, _ what: String,
        on network: BridgeNetwork? = nil, opened: @escaping @Sendable (Int) -> Void
    ) async throws {
        let cutter = ConnectionCutter(network: network)
        var quiet = logger
        // Cutting connections is not an error of the server.
        quiet.logLevel = .critical
        let service = try server(cutter).service(
            of: responder, at: .hostname(host, port: port), date: { [core] in await core.today() }, logger: quiet
        ) { channel in
            opened(channel.localAddress?.port ?? port)
        }
        do {
            try await cutter.run(service, on: settings.executor) { [core] in await core.endStreams() }
        } catch let error as IOError where error.errnoCode != EADDRNOTAVAIL {
            throw SimulatedBridgeError(
                "cannot listen on \(ListenAddress(host: host, port: port)) for the \(what): "
                    + String(cString: strerror(error.errnoCode)))
        } catch let error where error is IOError || error is SocketAddressError.UnknownHost {
            throw SimulatedBridgeError(
                "cannot listen on '\(host)' for the \(what): this machine has no such address; "
                    + "127.0.0.1 is for this machine alone, 0.0.0.0 for all its networks")
        }
        try Task.checkCancellation()
    }

    private static func tls(_ certificate: BridgeCertificate, upTo newest: Settings.TLSVersion) throws
        -> TLSConfiguration
    {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.certificatePEM.utf8))
                .map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(certificate.privateKeyPEM.utf8), format: .pem))
        )
        tls.minimumTLSVersion = .tlsv12
        tls.maximumTLSVersion = newest == .v12 ? .tlsv12 : .tlsv13
        // Clients keep connections that they do not read; waiting for their close notification would take five seconds.
        tls.shutdownTimeout = .milliseconds(100)
        return tls
    }
}

extension SimulatedBridge {
    /// Runs a bridge while the body runs, for tests.
    ///
    /// ```swift
    /// try await SimulatedBridge.running { bridge, ready in
    ///     await bridge.controls.pressButton()
    ///     // … and now the client under test, at ready.host and ready.httpsPort
    /// }
    /// ```
    /// - Parameters:
    ///   - settings: defaults to a small flat on free ports of 127.0.0.1.
    ///   - logger: receives warnings; by default they are dropped.
    ///   - body: called when the bridge listens.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws; ``SimulatedBridgeError`` if the bridge cannot listen.
    public static func running<Value>(
        _ settings: Settings = Settings(home: .flat),
        logger: Logger = Logger(label: "SimulatedBridge") { _ in SwiftLogNoOpLogHandler() },
        isolation: isolated (any Actor)? = #isolation,
        _ body: (SimulatedBridge, ConnectionDetails) async throws -> Value
    ) async throws -> Value {
        let bridge = try SimulatedBridge(settings, logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await bridge.run() }
            // The group waits until the bridge has ended.
            defer { group.cancelAll() }
            return try await body(bridge, try await bridge.ready)
        }
    }
}

/// Why a simulated bridge cannot run, in words for the user.
public struct SimulatedBridgeError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

/// What interrupts the service of the bridge's own ports.
enum LifecycleChange: Sendable {
    case reboot(Duration)
    case move(ListenAddress)
    /// Restarts the servers, with the certificate and the protocol that the active faults ask for.
    case restart
    case newCertificate
}
