public import Logging
import ServiceLifecycle
import UnixSignals

extension LightDaemon {
    /// Runs until SIGTERM or SIGINT, and then ends within a second.
    public static func runUntilTold(
        _ configuration: Configuration, environment: [String: String], logger: Logger
    ) async throws {
        try await runUntilTold([LightDaemon(configuration, environment: environment, logger: logger)], logger: logger)
    }

    /// Runs services until SIGTERM or SIGINT; they end in reverse order.
    static func runUntilTold(_ services: [any Service], logger: Logger) async throws {
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger.aboutServices
        )
        // What has not ended by then never will: a second is what whoever stops a daemon waits without a thought.
        configuration.maximumGracefulShutdownDuration = .milliseconds(900)
        try await ServiceGroup(configuration: configuration).run()
    }
}

extension Logger {
    /// For service groups. Below a warning they describe their services with all that is in them, the environment included.
    var aboutServices: Logger {
        var quiet = self
        quiet.logLevel = max(logLevel, .warning)
        return quiet
    }
}
