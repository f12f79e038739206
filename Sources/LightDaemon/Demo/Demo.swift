import FoundationEssentials
import Glibc
public import Logging
import ServiceLifecycle

/// `lightd --simulated`: runs a daemon and a lightsim, and pairs them over the normal path, with TLS, link button and
/// event stream. Uses only loopback.
public struct Demo: Sendable {
    private let configuration: Configuration
    private let home: String?
    private let keepsState: Bool
    private let environment: [String: String]
    private let logger: Logger

    /// - Parameters:
    ///   - home: a home file; without one, lightsim's small flat.
    ///   - keepsState: whether to use the configured state directory. Otherwise a temporary one, removed at the end.
    public init(
        _ configuration: Configuration, home: String?, keepsState: Bool, environment: [String: String], logger: Logger
    ) {
        self.configuration = configuration
        self.home = home
        self.keepsState = keepsState
        self.environment = environment
        self.logger = logger
    }

    /// Runs until SIGTERM, SIGINT or SIGHUP (the terminal is closed), or until lightsim ends.
    public func run() async throws {
        let program = try Simulator.find(in: Simulator.searchPath(environment))
        let (simulators, simulator) = AsyncStream<Simulator.Ready>.makeStream()
        let (homes, running) = AsyncStream<DemoHome>.makeStream()
        // lightsim is started by a service, so that a signal ends the wait for it too.
        let services: [any Service] = [
            Simulator(
                program: program, home: home,
                stateDirectory: keepsState ? configuration.stateDirectory + "/simulated" : nil,
                environment: environment.withoutPassedSockets, logger: logger
            ) { simulator.yield($0) },
            DemoDaemon(
                configuration: configuration, simulators: simulators, keepsState: keepsState, environment: environment,
                logger: logger
            ) {
                running.yield(DemoHome(program: program, simulator: $0, socket: $1.socket))
                running.finish()
            },
            DemoGuide(homes: homes),
        ]
        try await LightDaemon.runUntilSignalled(services, endsWithTerminal: true, logger: logger)
    }
}

/// The daemon, once lightsim listens; in a temporary state directory if its state is not to be kept.
private struct DemoDaemon: Service {
    let configuration: Configuration
    let simulators: AsyncStream<Simulator.Ready>
    let keepsState: Bool
    let environment: [String: String]
    let logger: Logger
    let ready: @Sendable (Simulator.Ready, LightDaemon.Addresses) -> Void

    func run() async throws {
        // None if the shutdown comes first.
        guard let simulator = await cancelWhenGracefulShutdown({ await simulators.first { _ in true } }) else { return }
        var configuration = configuration
        configuration.discovery.mdns = false
        configuration.discovery.hosts = [Configuration.Host(host: simulator.host, port: simulator.httpsPort)]
        if !configuration.tcp.enabled {
            configuration.tcp.enabled = true
            // A real lightd on this machine may have the usual one.
            if configuration.tcp.port == Configuration.TCP().port { configuration.tcp.port = 0 }
        }
        // Created here, where signals are handled: an earlier signal would leave it behind.
        if !keepsState { configuration.stateDirectory = try temporaryDirectory() }
        defer {
            if !keepsState { remove(configuration.stateDirectory) }
        }
        try await LightDaemon(configuration, environment: environment, logger: logger) {
            ready(simulator, $0)
        }.run()
    }

    private func temporaryDirectory() throws(ConfigurationError) -> String {
        var template = Array("\(environment["TMPDIR"] ?? "/tmp")/lightd-simulated.XXXXXX".utf8CString)
        let isCreated = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { mkdtemp($0) != nil } ?? false
        }
        guard isCreated else {
            throw ConfigurationError(
                "TMPDIR", "cannot create a temporary directory: \(String(cString: strerror(errno)))")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func remove(_ directory: String) {
        do {
            try FileManager.default.removeItem(atPath: directory)
        } catch {
            logger.warning(
                "cannot remove the temporary directory", metadata: ["path": "\(directory)", "reason": "\(error)"])
        }
    }
}
