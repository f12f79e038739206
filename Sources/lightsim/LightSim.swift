import ArgumentParser
import ControlProtocol
import Dispatch
import Executors
import FoundationEssentials
import Glibc
import Logging
import ServiceLifecycle
import SimulatedBridge
import UnixSignals

@main
struct LightSim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lightsim",
        abstract: "A simulated Hue bridge: HTTPS, link button, event stream, mDNS.",
        usage: "lightsim [--home HOME.yaml] [--quirk NAME[:VALUE]]… [OPTION]…",
        discussion: """
            The control port acts on the bridge from outside, by plain HTTP with JSON:
            \(ControlPort.help)
            A light or a sensor is given by its name or id. Sensors and switches report
            motion, light_level, temperature, contact, battery, button or rotate.

            A quirk is a fault that is active from the start. GET /faults?known says what
            each does and where it was seen, as does /usr/share/doc/lightsim/quirks.md, which
            also says how to limit a fault to some requests or to a time. Known quirks:
            \(Fault.names(width: 68))
            """,
        version: "lightsim \(Release.version)"
    )

    /// Usage errors begin with the program's name, as all its errors do.
    // swift-format-ignore: NoLeadingUnderscores
    static let _errorPrefix = "lightsim: "

    @Option(help: "The home to simulate, as a YAML file; default: a small flat.")
    var home: String?
    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"
    @Option(help: "The HTTPS port; 0 chooses a free one.")
    var httpsPort = 0
    @Option(help: "The plain HTTP port; 0 chooses a free one.")
    var httpPort = 0
    @Option(help: "The control port; 0 chooses a free one.")
    var controlPort = 0
    @Flag(help: "Announce the bridge by mDNS (needs a running avahi-daemon).")
    var advertise = false
    @Option(
        name: .customLong("quirk"),
        help: "A fault that is active from the start, as NAME[:VALUE]; repeatable.")
    var quirks: [String] = []
    @Option(help: "The seed of ids, keys and the certificate's private key.")
    var seed: UInt64 = 1
    @Option(help: "The directory that keeps keys and lamps over a restart.")
    var stateDir: String?
    @Option(help: "BSB001, BSB002, BSB003 or deCONZ; default: as in the home file, else BSB002.")
    var model: String?
    @Option(help: "How many times faster than real time the bridge's time runs.")
    var timeScale = 1.0
    @Flag(help: "Print the addresses as one line of JSON, and nothing else.")
    var readyJson = false
    @Flag(help: "Exit when standard input ends, so as not to outlive the program that started lightsim.")
    var untilEof = false

    mutating func validate() throws {
        for quirk in quirks {
            do throws(FaultError) { _ = try Fault(quirk) } catch { throw ValidationError(error.description) }
        }
        for (name, port) in [("--https-port", httpsPort), ("--http-port", httpPort), ("--control-port", controlPort)]
        where !(0...65535).contains(port) {
            throw ValidationError("\(name) must be a number from 0 to 65535, not \(port)")
        }
        // An empty value comes from an unset variable in a script; as a directory it would mean the root.
        for (name, value) in [("--home", home), ("--host", host), ("--state-dir", stateDir)] where value == "" {
            throw ValidationError("\(name) must not be empty")
        }
        if let model, BridgeModel(rawValue: model) == nil {
            let known = BridgeModel.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("unknown model '\(model)'; known models: \(known)")
        }
        guard timeScale > 0, timeScale <= 10_000 else {
            throw ValidationError("--time-scale must be above 0 and at most 10000, not \(timeScale)")
        }
    }

    /// Where all its tasks run.
    private static let executor = RestingExecutor(thread: "lightsim-tasks")

    static func main() {
        // Before the runtime opens descriptors of its own.
        StandardStreams.replaceClosed()
        executor.run { await main(nil) }
    }

    func run() async throws {
        var logger = Logger(label: "lightsim") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .notice
        let bridge: SimulatedBridge
        do {
            var settings = Settings(home: try readHome())
            settings.host = host
            settings.httpsPort = httpsPort
            settings.httpPort = httpPort
            settings.controlPort = controlPort
            settings.advertises = advertise
            settings.quirks = try quirks.map { text throws(FaultError) in try Fault(text) }
            settings.seed = seed
            settings.model = model.flatMap(BridgeModel.init(rawValue:))
            settings.timeScale = timeScale
            settings.stateDirectory = stateDir
            settings.executor = Self.executor
            bridge = try SimulatedBridge(settings, logger: logger)
        } catch {
            Self.complain("\(error)")
            throw ExitCode(ExitStatus.badConfiguration.rawValue)
        }
        let printer = ReadyPrinter(bridge: bridge, advertise: advertise, json: readyJson)
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: bridge), .init(service: printer)],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "lightsim") { _ in SwiftLogNoOpLogHandler() }
        )
        if untilEof {
            configuration.services.append(
                .init(service: StandardInputReader(), successTerminationBehavior: .gracefullyShutdownGroup))
        }
        let services = ServiceGroup(configuration: configuration)
        do {
            try await services.run()
        } catch {
            Self.complain("\(error)")
            throw ExitCode(ExitStatus.unreachable.rawValue)
        }
    }

    private func readHome() throws -> HomeFile {
        guard let path = home else { return .flat }
        do {
            return try HomeFile(yaml: String(contentsOf: URL(filePath: path), encoding: .utf8), path: path)
        } catch let error as HomeFileError {
            throw error
        } catch {
            throw HomeFileUnreadable(
                description: "cannot read the home file \(path): it is missing or not readable")
        }
    }

    private static func complain(_ text: String) {
        let line = Array("lightsim: \(text)\n".utf8)
        // If standard error fails, there is nowhere left to report it.
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

private struct HomeFileUnreadable: Error, CustomStringConvertible {
    let description: String
}

/// Runs until standard input ends, and with it the group of services. The process exits ten seconds later if it is
/// still running.
private struct StandardInputReader: Service {
    func run() async throws {
        let (untilEnd, end) = AsyncStream<Never>.makeStream()
        DispatchQueue(label: "standard input").async {
            var byte: UInt8 = 0
            var count = 0
            repeat { count = read(STDIN_FILENO, &byte, 1) } while count > 0 || (count < 0 && errno == EINTR)
            end.finish()
            sleep(10)
            _exit(ExitStatus.refused.rawValue)
        }
        await cancelWhenGracefulShutdown { for await _ in untilEnd {} }
    }
}

/// Prints the addresses on standard output when the bridge listens.
private struct ReadyPrinter: Service {
    let bridge: SimulatedBridge
    let advertise: Bool
    let json: Bool

    func run() async throws {
        let ready = try await bridge.ready
        let home = await bridge.controls.home
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(ready), as: UTF8.self))
        } else {
            let name = ready.host.contains(":") ? "[\(ready.host)]" : ready.host
            let lights = counted(home.lamps.count, "light")
            let announcement = advertise ? ", announcing by mDNS" : ""
            print(
                """
                bridge   \(ready.name), \(ready.bridgeID) (\(ready.model)), \(lights)\(announcement)
                \(ready.httpsPort == 0 ? "https    none on this model" : "https    https://\(name):\(ready.httpsPort)")
                http     http://\(name):\(ready.httpPort)
                control  http://\(name):\(ready.controlPort)
                button   curl -X POST http://\(name):\(ready.controlPort)/button
                """)
        }
        // A program at the other end of a pipe waits for these lines.
        fflush(nil)
        try await gracefulShutdown()
    }
}
