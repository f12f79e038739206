import Foundation
import Glibc
import Synchronization

/// `lightsim` as a process of its own.
final class Program: Sendable {
    struct Run: Sendable {
        let status: Int32
        let output: String
        let complaint: String
    }

    private struct State {
        var output: [UInt8] = []
        var complaint: [UInt8] = []
        var status: Int32?
        var open = 2
    }

    private let process = Process()
    private let state = Mutex(State())

    var output: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }

    /// The programs lie where the test bundle lies.
    private static var directory: URL {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }

    init(_ arguments: [String]) throws {
        let (output, complaint) = (Pipe(), Pipe())
        process.executableURL = Self.directory.appending(path: "lightsim")
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = complaint
        process.terminationHandler = { [self] process in state.withLock { $0.status = process.terminationStatus } }
        output.fileHandleForReading.readabilityHandler = { [self] handle in take(handle) { $0.output += $1 } }
        complaint.fileHandleForReading.readabilityHandler = { [self] handle in take(handle) { $0.complaint += $1 } }
        try process.run()
    }

    private func take(_ handle: FileHandle, _ keep: (inout State, Data) -> Void) {
        let bytes = handle.availableData
        state.withLock { state in
            keep(&state, bytes)
            if bytes.isEmpty { state.open -= 1 }
        }
        if bytes.isEmpty { handle.readabilityHandler = nil }
    }

    static func run(_ arguments: String...) async throws -> Run { try await run(arguments) }

    static func run(_ arguments: [String]) async throws -> Run {
        let program = try Program(arguments)
        defer { program.kill() }
        return await program.end()
    }

    /// The first line of its output.
    func line() async throws -> String {
        try await until("a line") { self.output.contains("\n") || self.state.withLock { $0.status != nil } }
        return output.split(separator: "\n").first.map(String.init) ?? ""
    }

    func terminate() { process.terminate() }
    func interrupt() { process.interrupt() }

    /// Where a test fails, nothing is left behind.
    func kill() { if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) } }

    /// Waits until it has ended and all its words are read.
    func end() async -> Run {
        do {
            try await until("the program ends") { self.state.withLock { $0.status != nil && $0.open == 0 } }
        } catch {
            kill()
        }
        return state.withLock { state in
            Run(
                status: state.status ?? -1, output: String(decoding: state.output, as: UTF8.self),
                complaint: String(decoding: state.complaint, as: UTF8.self))
        }
    }
}
