import ControlProtocol
import Executors
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

    /// The path of lightsim.
    let program: String
    /// A home file, which lightsim checks.
    let home: String?
    /// Where the bridge keeps its keys and lights; `nil` keeps nothing.
    let stateDirectory: String?
    let environment: [String: String]
    let logger: Logger
    /// How long lightsim may take to print its ports.
    var readyLimit = Duration.seconds(10)
    /// Called once, when lightsim listens.
    let listens: @Sendable (Ready) -> Void

    /// Starts lightsim and runs until it ends. On graceful shutdown sends it SIGTERM, when cancelled SIGKILL.
    ///
    /// - Throws: ``ConfigurationError`` if lightsim refuses the home file, ``DemoError`` if it cannot be started, does
    ///   not print its ports, or ends by itself.
    func run() async throws {
        let process = try start()
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                try await follow(process)
            } onGracefulShutdown: {
                process.send(SIGTERM)
            }
        } onCancel: {
            process.send(SIGKILL)
        }
    }

    private func start() throws(DemoError) -> ChildProcess {
        var arguments = ["--ready-json", "--until-eof"]
        if let home { arguments += ["--home", home] }
        if let stateDirectory { arguments += ["--state-dir", stateDirectory] }
        do throws(ChildProcess.SpawnError) {
            return try ChildProcess(program, arguments, environment: environment)
        } catch {
            throw DemoError("cannot start \(program): \(error.cause)")
        }
    }

    private func follow(_ process: ChildProcess) async throws {
        do {
            listens(try ready(try await firstLine(of: process)))
        } catch {
            process.send(SIGKILL)
            _ = await process.exit()
            if Self.isStopping { return }
            throw error
        }
        async let relaying: Void = relayLog(of: process)
        let exit = await process.exit()
        await relaying
        guard let exit, !Self.isStopping else { return }
        throw DemoError("lightsim \(exit), and the simulated bridge with it")
    }

    private static var isStopping: Bool { Task.isShuttingDownGracefully || Task.isCancelled }

    // MARK: - The ready line

    /// The first line that lightsim prints.
    private func firstLine(of process: ChildProcess) async throws -> String {
        try await withThrowingTaskGroup(of: String.self) { group in
            group.addTask {
                for await line in process.output { return line }
                throw await failure(of: process)
            }
            group.addTask {
                try await QueueTimer.sleep(for: readyLimit)
                throw DemoError("lightsim did not say within \(readyLimit) which ports it uses; \(versionQuestion)")
            }
            defer { group.cancelAll() }
            for try await line in group { return line }
            // Never reached: both tasks return or throw.
            throw CancellationError()
        }
    }

    private func ready(_ line: String) throws(DemoError) -> Ready {
        do {
            return try JSONDecoder().decode(Ready.self, from: Data(line.utf8))
        } catch {
            throw DemoError(
                "lightsim did not say which ports it uses (it printed '\(line.prefix(80))'); \(versionQuestion)")
        }
    }

    private var versionQuestion: String { "is \(program) of the same version as lightd?" }

    /// Why lightsim ended without printing its ports.
    private func failure(of process: ChildProcess) async -> any Error {
        var message = ""
        for await line in process.errors { message += message.isEmpty ? line : " " + line }
        let exit = await process.exit()
        if exit == .code(ExitStatus.badConfiguration.rawValue) {
            return ConfigurationError("--simulated", message.droppingPrefix("lightsim: "))
        }
        return DemoError("\(program) \(exit?.description ?? "ended")\(message.isEmpty ? "" : ": \(message)")")
    }

    private func relayLog(of process: ChildProcess) async {
        for await line in process.errors { logger.notice("from lightsim", metadata: ["line": "\(line)"]) }
    }

    // MARK: - Finding the program

    /// The directory of this program, then those of `PATH`.
    static func searchPath(_ environment: [String: String]) -> [String] {
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
