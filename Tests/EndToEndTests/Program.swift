import Foundation
import Glibc
import Synchronization

/// One of the three programs as a process of its own, found beside the tests.
final class Program: Sendable {
    struct End: Equatable, Sendable, CustomStringConvertible {
        let status: Int32
        let output: String
        let complaint: String

        var description: String { "exit \(status)\n--- stdout\n\(output)\n--- stderr\n\(complaint)" }
    }

    private struct State {
        var output = Data()
        var complaint = Data()
        var status: Int32?
        var open = 2
    }

    private let process = Process()
    private let state = Mutex(State())

    init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let directory = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let (output, complaint) = (Pipe(), Pipe())
        process.executableURL = directory.appending(path: name)
        process.arguments = arguments
        var whole = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("LIGHT") && $0.key != "NOTIFY_SOCKET"
        }
        whole.merge(environment) { $1 }
        process.environment = whole
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = complaint
        process.terminationHandler = { [self] process in state.withLock { $0.status = process.terminationStatus } }
        output.fileHandleForReading.readabilityHandler = { [self] handle in take(handle) { $0.output.append($1) } }
        complaint.fileHandleForReading.readabilityHandler = { [self] handle in take(handle) { $0.complaint.append($1) }
        }
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

    var output: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }
    var complaint: String { state.withLock { String(decoding: $0.complaint, as: UTF8.self) } }
    var lines: [String] { output.split(separator: "\n").map(String.init) }
    var pid: pid_t { process.processIdentifier }

    func terminate() { process.terminate() }
    func kill() { if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) } }

    /// Waits until it has ended and all its words are read.
    @discardableResult
    func end(within limit: Duration = .seconds(60)) async throws -> End {
        try await until(
            "\(process.executableURL?.lastPathComponent ?? "") ends", within: limit, "\(output) \(complaint)"
        ) {
            state.withLock { $0.status != nil && $0.open == 0 }
        }
        return state.withLock {
            End(
                status: $0.status ?? -1, output: String(decoding: $0.output, as: UTF8.self),
                complaint: String(decoding: $0.complaint, as: UTF8.self))
        }
    }
}
