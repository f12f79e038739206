public import Logging
import ServiceLifecycle
import UnixSignals

extension LightDaemon {
    /// How long a graceful shutdown may take. What has not ended by then is cancelled.
    static let shutdownLimit = Duration.milliseconds(900)

    /// Runs until SIGTERM or SIGINT, then ends within a second.
    public static func runUntilSignalled(
        _ configuration: Configuration, environment: [String: String], logger: Logger
    ) async throws {
        try await runUntilSignalled(
            [LightDaemon(configuration, environment: environment, logger: logger)], logger: logger)
    }

    /// Runs services until SIGTERM or SIGINT, then stops them in reverse order.
    static func runUntilSignalled(_ services: [any Service], logger: Logger) async throws {
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup) },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger.forServiceGroups
        )
        configuration.maximumGracefulShutdownDuration = shutdownLimit
        try await ServiceGroup(configuration: configuration).run()
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
