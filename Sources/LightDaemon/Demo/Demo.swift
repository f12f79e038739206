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
        let simulator = try await Simulator.start(
            home: home, stateDirectory: keepsState ? configuration.stateDirectory + "/simulated" : nil,
            environment: environment, logger: logger)
        var configuration = configuration
        configuration.discovery.mdns = false
        configuration.discovery.hosts = [
            Configuration.Host(host: simulator.ready.host, port: simulator.ready.httpsPort)
        ]
        let (addresses, address) = AsyncStream<LightDaemon.Addresses>.makeStream()
        let daemon = DemoDaemon(
            configuration: configuration, keepsState: keepsState, environment: environment, logger: logger
        ) {
            address.yield($0)
            address.finish()
        }
        let guide = DemoGuide(simulator: simulator.ready, addresses: addresses)
        try await LightDaemon.runUntilSignalled(
            [simulator, daemon, guide], endsWithTerminal: true, logger: logger)
    }
}

/// The daemon, in a temporary state directory if its state is not to be kept.
private struct DemoDaemon: Service {
    let configuration: Configuration
    let keepsState: Bool
    let environment: [String: String]
    let logger: Logger
    let ready: @Sendable (LightDaemon.Addresses) -> Void

    func run() async throws {
        var configuration = configuration
        // Created here, where signals are handled: an earlier signal would leave it behind.
        if !keepsState { configuration.stateDirectory = try temporaryDirectory() }
        defer {
            if !keepsState { remove(configuration.stateDirectory) }
        }
        try await LightDaemon(configuration, environment: environment, logger: logger, ready: ready).run()
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
