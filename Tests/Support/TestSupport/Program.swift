import Foundation
import Glibc
import Synchronization

/// A program run as a child process, with only the environment variables that the test gives it.
public final class Program: Sendable {
    public enum Name: Sendable {
        case lightd, lightctl, lightsim
        /// Another program, by its path.
        case at(String)
    }

    /// Our programs are in the same directory as the test bundle, or where `LIGHTD_TEST_PROGRAMS` says: a release build.
    public static func path(of name: Name) -> String {
        if case let .at(path) = name { return path }
        if let directory = ProcessInfo.processInfo.environment["LIGHTD_TEST_PROGRAMS"] { return "\(directory)/\(name)" }
        return URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "\(name)").path(percentEncoded: false)
    }

    public struct End: Equatable, Sendable, CustomStringConvertible {
        /// The exit code, or minus the number of the signal that ended it.
        public let status: CInt
        public let output: String
        public let errors: String

        public init(status: CInt, output: String, errors: String) {
            (self.status, self.output, self.errors) = (status, output, errors)
        }

        public var description: String { "status \(status), stdout '\(output)', stderr '\(errors)'" }
    }

    private final class OutputReader: Sendable {
        private let bytes = Mutex(Data())
        private let ended = Mutex(false)

        init(from descriptor: CInt) {
            Thread.detachNewThread { [self] in
                var buffer = [UInt8](repeating: 0, count: 4096)
                while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
                    bytes.withLock { $0.append(contentsOf: buffer[..<count]) }
                }
                close(descriptor)
                ended.withLock { $0 = true }
            }
        }

        var isEnded: Bool { ended.withLock(\.self) }
        var value: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
    }

    public let pid: CInt
    private let outputText: OutputReader
    private let errorText: OutputReader?
    private let status = Mutex<CInt?>(nil)
    /// Our end of its standard input; `nil` if it has none, or that has ended.
    private let input: Mutex<CInt?>

    public var output: String { outputText.value }
    public var errors: String { errorText?.value ?? "" }
    public var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// - Parameters:
    ///   - hearsErrors: if `false`, standard error is a stream whose other end is closed.
    ///   - isUnderJournal: whether standard error looks like a stream to the systemd journal.
    ///   - hasSession: whether it has a session of its own, and so no terminal, as a service.
    ///   - passed: a descriptor that it gets as its descriptor 3, as systemd passes sockets.
    ///   - isFed: whether its standard input is what ``write(_:)`` writes; otherwise it is empty.
    public init(
        _ name: Name, _ arguments: [String], environment: [String: String] = [:], hearsErrors: Bool = true,
        isUnderJournal: Bool = false, hasSession: Bool = false, passing passed: CInt? = nil,
        isFed: Bool = false
    ) throws {
        // LISTEN_PID is only known when the process exists.
        let shell = ["-c", "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\"", Self.path(of: name)]
        let program = passed == nil ? Self.path(of: name) : "/bin/sh"
        let arguments = passed == nil ? arguments : shell + arguments
        let (output, errors) = (try Self.stream(), try Self.stream())
        let fed = isFed ? try Self.stream() : nil
        var environment = environment.merging(Self.sanitizerOptions) { given, _ in given }
        if isUnderJournal {
            var status = stat()
            fstat(errors.write, &status)
            environment["JOURNAL_STREAM"] = "\(status.st_dev):\(status.st_ino)"
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let fed {
            posix_spawn_file_actions_adddup2(&actions, fed.read, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, output.write, 1)
        posix_spawn_file_actions_adddup2(&actions, errors.write, 2)
        if let passed { posix_spawn_file_actions_adddup2(&actions, passed, 3) }
        // SwiftNIO's sockets are not close-on-exec: a child would keep the ports of simulated bridges taken.
        try Self.closeDescriptors(from: passed == nil ? 3 : 4, in: &actions)
        // SIGPIPE and SIGHUP get their default actions, as under a shell.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGHUP] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // POSIX_SPAWN_SETSID of <spawn.h>, which Swift's Glibc module does not export.
        let session: CInt = hasSession ? 0x80 : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | session))
        var child: pid_t = 0
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + variables { free(word) } }
        let code = posix_spawn(&child, program, &actions, &attributes, words, variables)
        close(output.write)
        close(errors.write)
        if let fed { close(fed.read) }
        input = Mutex(fed?.write)
        guard code == 0 else {
            close(output.read)
            close(errors.read)
            if let fed { close(fed.write) }
            throw TestError("\(program): \(String(cString: strerror(code)))")
        }
        pid = child
        outputText = OutputReader(from: output.read)
        if hearsErrors {
            errorText = OutputReader(from: errors.read)
        } else {
            close(errors.read)
            errorText = nil
        }
    }

    deinit {
        if status.withLock(\.self) == nil {
            kill(pid, SIGKILL)
            var raw: CInt = 0
            waitpid(pid, &raw, 0)
        }
        endInput()
    }

    /// Writes a line to its standard input.
    public func write(_ line: String) throws {
        try input.withLock { input in
            var bytes = Array((line + "\n").utf8)[...]
            while let input, !bytes.isEmpty {
                let written = bytes.withUnsafeBytes { send(input, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
                guard written > 0 else { throw TestError("its input: \(String(cString: strerror(errno)))") }
                bytes = bytes.dropFirst(written)
            }
        }
    }

    /// Ends its standard input.
    public func endInput() {
        input.withLock { input in
            if let descriptor = input { close(descriptor) }
            input = nil
        }
    }

    public var isRunning: Bool { reap() == nil }

    public func signal(_ number: CInt) { if isRunning { kill(pid, number) } }

    /// Waits until it has ended and all its output is read.
    @discardableResult
    public func end(within limit: Duration = .seconds(120)) async throws -> End {
        try await until("process \(pid) has ended; its stderr: \(errors)", within: limit) { !self.isRunning }
        try await until("its output is read") { self.outputText.isEnded && self.errorText?.isEnded != false }
        return End(status: reap() ?? 0, output: output, errors: errors)
    }

    /// Waits until it has printed this text.
    ///
    /// - Throws: what it has printed instead, if it ends before, or takes more than two minutes.
    public func prints(_ text: String) async throws {
        do {
            try await until("'\(text)' is printed") {
                let isRunning = isRunning
                if output.contains(text) { return true }
                guard isRunning else { throw TestError("it ended before it printed '\(text)'") }
                return false
            }
        } catch {
            throw TestError("\(error); stdout '\(output)', stderr '\(errors)'")
        }
    }

    /// For programs built with a sanitizer (`scripts/sanitize`): where it reports, and what it suppresses.
    private static let sanitizerOptions = ProcessInfo.processInfo.environment.filter { name, _ in
        ["TSAN_OPTIONS", "ASAN_OPTIONS", "LSAN_OPTIONS"].contains(name)
    }

    public static func run(
        _ name: Name, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> End {
        try await Program(name, arguments, environment: environment).end()
    }

    private func reap() -> CInt? {
        status.withLock { status in
            if status != nil { return status }
            var raw: CInt = 0
            guard waitpid(pid, &raw, WNOHANG) == pid else { return nil }
            status = raw & 0x7f == 0 ? (raw >> 8) & 0xff : -(raw & 0x7f)
            return status
        }
    }

    /// A pair of sockets, close-on-exec from the start so that no other child keeps them open; pipe() cannot do that.
    private static func stream() throws -> (read: CInt, write: CInt) {
        var ends: [CInt] = [0, 0]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw TestError("socketpair: \(String(cString: strerror(errno)))")
        }
        return (ends[0], ends[1])
    }

    /// glibc's posix_spawn_file_actions_addclosefrom_np (since 2.34), which Swift's Glibc module does not export.
    private static func closeDescriptors(from lowest: CInt, in actions: inout posix_spawn_file_actions_t) throws {
        typealias AddCloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, CInt) -> CInt
        guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else {
            throw TestError("glibc is older than 2.34")
        }
        _ = unsafeBitCast(symbol, to: AddCloseFrom.self)(&actions, lowest)
    }
}
