import FoundationEssentials
import Glibc
public import Logging
import ServiceLifecycle
import SimulatedBridge

/// `lightd --simulated`: a daemon and a bridge in one process, paired with each other on the real path, through TLS, link button and
/// event stream. Nothing of the network is touched.
public struct Demo: Sendable {
    private let configuration: Configuration
    private let home: HomeFile
    private let keepsState: Bool
    private let environment: [String: String]
    private let logger: Logger

    /// - Parameters:
    ///   - home: a home file; the small flat where there is none.
    ///   - keepsState: whether the state directory was asked for; otherwise it is a new one, removed at the end.
    /// - Throws: where the home file is wrong.
    public init(
        _ configuration: Configuration, home path: String?, keepsState: Bool, environment: [String: String],
        logger: Logger
    ) throws {
        var configuration = configuration
        if let path {
            let yaml: String
            do {
                yaml = try String(contentsOf: URL(filePath: path), encoding: .utf8)
            } catch {
                throw ConfigurationError(path, "the home file cannot be read; Config/homes/ holds two")
            }
            do throws(HomeFileError) {
                home = try HomeFile(yaml: yaml, path: path)
            } catch {
                throw ConfigurationError("--simulated", error.description)
            }
        } else {
            home = .flat
        }
        // Only the simulated bridge is looked for.
        configuration.discovery.mdns = false
        self.configuration = configuration
        self.keepsState = keepsState
        self.environment = environment
        self.logger = logger
    }

    /// Runs until SIGTERM or SIGINT.
    public func run() async throws {
        var settings = Settings(home: home)
        if keepsState { settings.stateDirectory = configuration.stateDirectory + "/simulated" }
        let bridge = try SimulatedBridge(settings, logger: logger)
        let (listening, slot) = AsyncStream<LightDaemon.Listening>.makeStream()
        let daemon = DaemonBeside(bridge: bridge, configuration, keepsState: keepsState, environment, logger) {
            slot.yield($0)
            slot.finish()
        }
        let guide = DemoGuide(bridge: bridge, listening: listening, logger: logger)
        try await LightDaemon.runUntilSignalled([bridge, daemon, guide], logger: logger)
    }
}

/// The daemon, begun once the bridge listens, and told where.
private struct DaemonBeside: Service {
    let bridge: SimulatedBridge
    let configuration: Configuration
    let keepsState: Bool
    let environment: [String: String]
    let logger: Logger
    let ready: @Sendable (LightDaemon.Listening) -> Void

    init(
        bridge: SimulatedBridge, _ configuration: Configuration, keepsState: Bool, _ environment: [String: String],
        _ logger: Logger,
        ready: @escaping @Sendable (LightDaemon.Listening) -> Void
    ) {
        self.bridge = bridge
        self.configuration = configuration
        self.keepsState = keepsState
        self.environment = environment
        self.logger = logger
        self.ready = ready
    }

    func run() async throws {
        let place = try await bridge.ready
        var configuration = configuration
        // Made here, where signals are caught: one that came earlier would leave it behind.
        if !keepsState { configuration.stateDirectory = try Self.newDirectory(environment) }
        defer {
            if !keepsState { Self.remove(configuration.stateDirectory, logger) }
        }
        configuration.discovery.hosts = [Configuration.Host(host: place.host, port: place.httpsPort)]
        try await LightDaemon(configuration, environment: environment, logger: logger, ready: ready).run()
    }

    private static func newDirectory(_ environment: [String: String]) throws(ConfigurationError) -> String {
        var template = Array("\(environment["TMPDIR"] ?? "/tmp")/lightd-tour.XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { mkdtemp($0) != nil } ?? false
        }
        guard made else {
            throw ConfigurationError(
                "TMPDIR", "no temporary directory can be made: \(String(cString: strerror(errno)))")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func remove(_ directory: String, _ logger: Logger) {
        do {
            try FileManager.default.removeItem(atPath: directory)
        } catch {
            logger.warning(
                "a temporary directory is left behind", metadata: ["path": "\(directory)", "reason": "\(error)"])
        }
    }
}
