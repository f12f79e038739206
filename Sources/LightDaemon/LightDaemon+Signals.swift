import Glibc
import Logging
import ServiceLifecycle
import UnixSignals

extension LightDaemon {
    /// How long a graceful shutdown may take. What has not ended by then is cancelled.
    static let shutdownLimit = Duration.milliseconds(900)

    /// Runs until SIGTERM or SIGINT, then ends within a second.
    ///
    /// - Parameter read: reads the configuration again: SIGHUP reloads it, unless it means that a terminal is closed.
    public static func runUntilSignalled(
        _ configuration: Configuration, environment: [String: String], log: DaemonLog,
        rereading read: @escaping @Sendable () throws(ConfigurationError) -> Configuration
    ) async throws {
        var daemon = LightDaemon(
            configuration, environment: environment, logger: log.logger, ready: { _ in ProgramPages.drop() })
        if !Reloader.hasTerminal { daemon.source = Source(read: read, level: log.level) }
        try await runUntilSignalled([daemon], logger: log.logger)
    }

    /// Runs services until SIGTERM or SIGINT, then stops them in reverse order.
    ///
    /// - Parameter endsWithTerminal: whether SIGHUP ends them too, unless it is ignored (`nohup`).
    static func runUntilSignalled(
        _ services: [any Service], endsWithTerminal: Bool = false, logger: Logger
    ) async throws {
        var signals: [UnixSignal] = [.sigterm, .sigint]
        if endsWithTerminal, !isIgnored(SIGHUP) { signals.append(.sighup) }
        var configuration = ServiceGroupConfiguration(
            // Without a name, a service is called by all its properties, which takes a tenth of the start.
            services: services.map {
                .init(
                    service: $0, failureTerminationBehavior: .gracefullyShutdownGroup,
                    serviceName: "\(type(of: $0))")
            },
            gracefulShutdownSignals: signals,
            logger: logger.forServiceGroups
        )
        configuration.maximumGracefulShutdownDuration = shutdownLimit
        try await ServiceGroup(configuration: configuration).run()
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        sigaction(signal, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

extension Logger {
    /// For service groups. Below warning they log their services with all properties, including the environment.
    var forServiceGroups: Logger {
        var quiet = self
        quiet.logLevel = max(logLevel, .warning)
        return quiet
    }
}
