import ArgumentParser
import ControlProtocol
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
        abstract: "A simulated Hue bridge: HTTPS, link button, event stream, mDNS, without hardware.",
        discussion: """
            The control port stands for hands and fuses:
              curl -X POST localhost:PORT/button                                press the link button
              curl -X POST localhost:PORT/lights/Desk/switch                    somebody at the wall
              curl -X POST localhost:PORT/lights/Desk/mains -d '{"on":false}'   a lamp without mains
              curl -X POST localhost:PORT/sensors/Hall/motion                   somebody passes a sensor
              curl -X POST localhost:PORT/sensors/Dial/button -d '{"button":2}' a button is pressed; also light_level,
                                                                                temperature, contact, rotate
              curl -X POST localhost:PORT/reboot -d '{"seconds":5}'             off the net for a while
              curl -X POST localhost:PORT/move                                  another HTTPS port
              curl -X POST localhost:PORT/certificate                           another certificate
              curl -X POST localhost:PORT/faults -d '{"name":"busy","count":3}' three refusals
              curl localhost:PORT/requests                                      what clients sent, and what was answered
              curl -f 'localhost:PORT/assertions?most_in_flight=3'              whether a client kept to the limits
            Names of lights and sensors may be used in place of ids.

            Quirks, which are faults from the start; POST /faults begins the same at run time, with how often, how long
            and where ({"name":"busy","value":503,"count":3,"for":10,"path":"/clip/v2","method":"PUT","probability":0.5}),
            DELETE /faults[/NAME] ends them, GET /faults lists them:
            \(Fault.catalogue)
            """,
        version: "lightsim \(Release.version)"
    )

    @Option(help: "The home to simulate, a YAML file; a small flat where none is named.")
    var home: String?
    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"
    @Option(help: "The HTTPS port; 0 chooses one.")
    var httpsPort = 0
    @Option(help: "The plain HTTP port; 0 chooses one.")
    var httpPort = 0
    @Option(help: "The control port; 0 chooses one.")
    var controlPort = 0
    @Flag(help: "Announce the bridge by mDNS (needs a running avahi-daemon).")
    var advertise = false
    @Option(
        name: .customLong("quirk"),
        help: "NAME[:VALUE]: something that goes wrong, or is otherwise than usual; may be given several times.")
    var quirks: [String] = []
    @Option(help: "All ids, keys and the certificate derive from it.")
    var seed: UInt64 = 1
    @Option(help: "Keep keys and lamps here over a restart.")
    var stateDir: String?
    @Option(help: "Which bridge: BSB001, BSB002, BSB003 or deCONZ; the home file's where nothing is said, else BSB002.")
    var model: String?
    @Option(help: "How many times as fast as ours its time goes.")
    var timeScale = 1.0
    @Flag(help: "Say where it listens as one line of JSON, and nothing else.")
    var readyJson = false

    mutating func validate() throws {
        for quirk in quirks {
            do throws(FaultError) { _ = try Fault(quirk) } catch { throw ValidationError(error.description) }
        }
        for (name, port) in [("--https-port", httpsPort), ("--http-port", httpPort), ("--control-port", controlPort)]
        where !(0...65535).contains(port) {
            throw ValidationError("\(name) is a number from 0 to 65535, not \(port)")
        }
        if let model, BridgeModel(rawValue: model) == nil {
            let known = BridgeModel.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("there is no model '\(model)'; known are \(known)")
        }
        guard timeScale > 0, timeScale <= 10_000 else {
            throw ValidationError("--time-scale is a number above 0 and up to 10000, not \(timeScale)")
        }
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
            bridge = try SimulatedBridge(settings, logger: logger)
        } catch {
            Self.complain("\(error)")
            throw ExitCode(ExitStatus.badConfiguration.rawValue)
        }
        let services = ServiceGroup(
            services: [bridge, Greeter(bridge: bridge, advertise: advertise, json: readyJson)],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "lightsim") { _ in SwiftLogNoOpLogHandler() }
        )
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
            throw HomeNotRead(description: "cannot read the home file \(path): it is missing, or not readable for you")
        }
    }

    private static func complain(_ text: String) {
        let line = Array("lightsim: \(text)\n".utf8)
        // Nobody is left to be told where standard error fails.
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

private struct HomeNotRead: Error, CustomStringConvertible {
    let description: String
}

/// Says on standard output where the bridge is, once it is there.
private struct Greeter: Service {
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
            print(
                """
                bridge   \(ready.name), \(ready.bridgeID) (\(home.bridge.model.rawValue)), \(home.lamps.count) lights\(advertise ? ", announcing itself by mDNS" : "")
                \(ready.httpsPort == 0 ? "https    none on this model" : "https    https://\(name):\(ready.httpsPort)")
                http     http://\(name):\(ready.httpPort)
                control  http://\(name):\(ready.controlPort)
                button   curl -X POST http://\(name):\(ready.controlPort)/button
                """)
        }
        // A reader at the other end of a pipe waits for these lines.
        fflush(nil)
        try await gracefulShutdown()
    }
}
