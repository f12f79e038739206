import ArgumentParser
import ControlProtocol
import FoundationEssentials
import Glibc
import LightDaemon
import Logging

@main
struct LightdCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lightd",
        abstract:
            "The smart-lighting controller: finds the bridges of a home, keeps one true picture of every light, and drives them.",
        discussion: """
            Speak to it with lightctl. Without a configuration file it works as it is; Config/lightd.yaml explains every key.
            Settings come from arguments, then from the environment (LIGHTD_…), then from the file, then from defaults.

            Exit codes: 0 ended as asked · 1 could not go on · 6 bad configuration · 64 usage.
            """,
        version: Release.version
    )

    @Option(help: ArgumentHelp("The configuration file.", valueName: "path"))
    var config: String?

    @Option(help: ArgumentHelp("The unix socket to listen on.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("Where bridges, keys and the journal are kept.", valueName: "dir"))
    var stateDir: String?

    @Option(
        defaultAsFlag: "",
        help: ArgumentHelp("Run with a simulated bridge inside: a full tour with no hardware.", valueName: "home.yaml")
    )
    var simulated: String?

    @Flag(help: "Only check the configuration: exit code 0 where it is good, 6 where not.")
    var checkConfig = false

    func run() async throws {
        // Who no longer reads our log must not end us with it.
        signal(SIGPIPE, SIG_IGN)
        let environment = ProcessInfo.processInfo.environment
        let configuration: Configuration
        do {
            configuration = try Configuration.read(
                Arguments(config: config, socket: socket, stateDirectory: stateDir),
                environment: environment,
                isRoot: geteuid() == 0
            )
            try configuration.checkFiles()
        } catch {
            complain("\(error)")
            throw ExitCode(ExitStatus.badConfiguration.rawValue)
        }
        if checkConfig { return }
        let logger = Logger(label: "lightd") { _ in ConsoleLog(level: configuration.logLevel, environment: environment)
        }
        do {
            if let simulated {
                try await Demo(
                    configuration, home: simulated.isEmpty ? nil : simulated,
                    keepsState: stateDir != nil, environment: environment, logger: logger
                ).run()
            } else {
                try await LightDaemon.runUntilSignalled(configuration, environment: environment, logger: logger)
            }
        } catch let error as ConfigurationError {
            complain("\(error)")
            throw ExitCode(ExitStatus.badConfiguration.rawValue)
        } catch {
            complain("\(error)")
            throw ExitCode(ExitStatus.refused.rawValue)
        }
    }

    private func complain(_ words: String) {
        let line = "lightd: \(words)\n"
        _ = Array(line.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
