import ArgumentParser
import ControlProtocol
import Executors
import FoundationEssentials
import Glibc
import LightDaemon

@main
struct LightdCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lightd",
        abstract: """
            The smart-lighting controller: finds the bridges of a home, tracks the state of every light, and controls \
            them.
            """,
        discussion: """
            Control it with lightctl. lightd needs no configuration file; lightd.yaml(5) explains every key.
            Arguments override the environment (LIGHTD_…), which overrides the file, which overrides the defaults.

            Exit codes: 0 stopped · 1 failed · 6 wrong configuration · 64 usage.
            """,
        version: Release.version
    )

    /// Usage errors begin with the program's name, as all its errors do.
    // swift-format-ignore: NoLeadingUnderscores
    static let _errorPrefix = "lightd: "

    @Option(help: ArgumentHelp("The configuration file.", valueName: "path"))
    var config: String?

    @Option(help: ArgumentHelp("The unix socket to listen on.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("The directory for bridges, keys and the journal.", valueName: "dir"))
    var stateDir: String?

    @Option(
        defaultAsFlag: "",
        help: ArgumentHelp(
            "Run with a simulated bridge: starts lightsim and pairs with it. No hardware needed.",
            valueName: "home.yaml")
    )
    var simulated: String?

    @Flag(help: "Only check the configuration: exit code 0 if it is valid, 6 if not.")
    var checkConfig = false

    static func main() {
        // Before the runtime opens descriptors of its own.
        StandardStreams.replaceClosed()
        RestingExecutor(thread: "lightd-tasks").run {
            let arguments = CommandLine.arguments.dropFirst()
            // For lightctl alone, so no help speaks of it.
            guard arguments.first == SiteRelayProtocol.verb else { return await main(nil) }
            // It ends with lightctl, and not before it has cleared away its socket.
            for number in [SIGPIPE, SIGINT, SIGHUP] { signal(number, SIG_IGN) }
            Glibc.exit(
                await SiteRelay.run(Array(arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))
        }
    }

    func run() async throws {
        // A closed standard error must not end the daemon.
        signal(SIGPIPE, SIG_IGN)
        let environment = ProcessInfo.processInfo.environment
        let arguments = Arguments(config: config, socket: socket, stateDirectory: stateDir)
        let read: @Sendable () throws(ConfigurationError) -> Configuration = {
            () throws(ConfigurationError) in
            try Configuration.read(arguments, environment: environment, isRoot: geteuid() == 0)
        }
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try read()
            try configuration.checkFiles()
            if checkConfig { try configuration.checkStoredSecrets() }
        } catch {
            for line in error.lines { DaemonLog.report(line, environment: environment) }
            throw ExitCode(ExitStatus.badConfiguration.rawValue)
        }
        if checkConfig { return }
        let log = DaemonLog(level: configuration.logLevel, environment: environment)
        do {
            if let simulated {
                try await Demo(
                    configuration, home: simulated.isEmpty ? nil : simulated,
                    keepsState: stateDir != nil, environment: environment, logger: log.logger
                ).run()
            } else {
                try await LightDaemon.runUntilSignalled(
                    configuration, environment: environment, log: log, rereading: read)
            }
        } catch let error as ConfigurationError {
            DaemonLog.report("\(error)", environment: environment)
            throw ExitCode(ExitStatus.badConfiguration.rawValue)
        } catch {
            DaemonLog.report("\(error)", environment: environment)
            throw ExitCode(ExitStatus.refused.rawValue)
        }
    }
}
