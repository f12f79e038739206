import ControlProtocol
import FoundationEssentials
import Glibc
import Logging
import ServiceLifecycle

/// The `lightsim` that belongs to a demo, running as a child process. As a service it ends with the demo, and the demo
/// with it.
struct Simulator: Service {
    /// What `lightsim --ready-json` prints once it listens.
    struct Ready: Decodable, Sendable {
        let bridgeID: String
        let host: String
        let httpsPort: Int
        let controlPort: Int

        enum CodingKeys: String, CodingKey {
            case host
            case bridgeID = "bridge_id"
            case httpsPort = "https_port"
            case controlPort = "control_port"
        }
    }

    let ready: Ready
    private let process: ChildProcess
    private let logger: Logger

    /// Starts lightsim and waits until it listens.
    ///
    /// - Parameters:
    ///   - home: a home file; lightsim checks it.
    ///   - stateDirectory: where the bridge keeps its keys and lights; `nil` keeps nothing.
    /// - Throws: ``ConfigurationError`` if lightsim refuses the home file, ``DemoError`` if it cannot be started.
    static func start(
        home: String?, stateDirectory: String?, environment: [String: String], logger: Logger
    ) async throws -> Simulator {
        let program = try find(in: searchPath(environment))
        var arguments = ["--ready-json", "--until-eof"]
        if let home { arguments += ["--home", home] }
        if let stateDirectory { arguments += ["--state-dir", stateDirectory] }
        let process: ChildProcess
        do throws(ChildProcess.SpawnError) {
            process = try ChildProcess(program, arguments, environment: environment)
        } catch {
            throw DemoError("cannot start \(program): \(error.cause)")
        }
        for await line in process.output {
            let ready = try JSONDecoder().decode(Ready.self, from: Data(line.utf8))
            return Simulator(ready: ready, process: process, logger: logger)
        }
        var message = ""
        for await line in process.errors { message += message.isEmpty ? line : " " + line }
        let exit = await process.exit()
        if exit == .code(ExitStatus.badConfiguration.rawValue) {
            throw ConfigurationError("--simulated", message.droppingPrefix("lightsim: "))
        }
        throw DemoError("\(program) \(exit?.description ?? "ended")\(message.isEmpty ? "" : ": \(message)")")
    }

    /// Runs until lightsim ends. On graceful shutdown sends it SIGTERM, when cancelled SIGKILL.
    ///
    /// - Throws: ``DemoError`` if lightsim ends by itself.
    func run() async throws {
        async let relaying: Void = relayLog()
        let exit = await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await process.exit()
            } onGracefulShutdown: {
                process.send(SIGTERM)
            }
        } onCancel: {
            process.send(SIGKILL)
        }
        await relaying
        guard let exit, !Task.isShuttingDownGracefully, !Task.isCancelled else { return }
        throw DemoError("lightsim \(exit), and the simulated bridge with it")
    }

    private func relayLog() async {
        for await line in process.errors { logger.notice("from lightsim", metadata: ["line": "\(line)"]) }
    }

    // MARK: - Finding the program

    /// The directory of this program, then those of `PATH`.
    private static func searchPath(_ environment: [String: String]) -> [String] {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let program = String(decoding: buffer.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let directory = program.lastIndex(of: "/").map { String(program[..<$0]) }
        let path = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (directory.map { [$0] } ?? []) + path
    }

    static func find(in directories: [String]) throws(DemoError) -> String {
        for directory in directories {
            let path = "\(directory)/lightsim"
            var isDirectory = false
            if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory,
                FileManager.default.isExecutableFile(atPath: path)
            {
                return path
            }
        }
        throw DemoError(
            "--simulated needs the program lightsim, which is neither beside lightd nor in PATH (looked in "
                + directories.joined(separator: ", ") + "); install lightsim, or build it with 'make build'")
    }
}

/// Why a demo cannot start or go on.
struct DemoError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension ChildProcess.Exit: CustomStringConvertible {
    var description: String {
        switch self {
        case let .code(code): "ended with exit code \(code)"
        case let .signal(signal): "was ended by signal \(signal)"
        }
    }
}

extension String {
    fileprivate func droppingPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}
