import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// A child process that can end with its parent. Its standard input is one end of a socket pair, and the kernel closes
/// the other end when the parent ends, even by SIGKILL: a child that ends at the end of its input is never left behind.
///
/// Not `PR_SET_PDEATHSIG`: that signal is sent when the *thread* that started the child ends, and Swift's threads come
/// and go.
final class ChildProcess: Sendable {
    enum Exit: Equatable, Sendable {
        case code(Int32)
        case signal(Int32)
    }

    struct SpawnError: Error {
        let cause: String
    }

    /// Lines of standard output and standard error. Each can be read by one task.
    let output: AsyncStream<String>
    let errors: AsyncStream<String>
    private let exits: AsyncStream<Exit>
    private let pid: pid_t
    private let lifeline: Int32
    private let isReaped = Mutex(false)

    /// Starts the program in a process group of its own, so that Ctrl-C in the terminal reaches only this process.
    init(_ path: String, _ arguments: [String], environment: [String: String]) throws(SpawnError) {
        let input = try Self.socketPair()
        let output = try Self.socketPair()
        let errors = try Self.socketPair()
        defer { for descriptor in [input.child, output.child, errors.child] { close(descriptor) } }
        do {
            pid = try Self.spawn(path, arguments, environment, input.child, output.child, errors.child)
        } catch {
            for descriptor in [input.parent, output.parent, errors.parent] { close(descriptor) }
            throw error
        }
        lifeline = input.parent
        self.output = Self.lines(of: output.parent)
        self.errors = Self.lines(of: errors.parent)
        let (exits, exit) = AsyncStream.makeStream(of: Exit.self)
        self.exits = exits
        DispatchQueue(label: "child process").async { [self] in
            exit.yield(waitForExit())
            exit.finish()
        }
    }

    deinit { close(lifeline) }

    /// Waits until the process has ended. `nil` if the task is cancelled first, or when called again.
    func exit() async -> Exit? {
        for await exit in exits { return exit }
        return nil
    }

    /// Sends a signal, unless the process has ended.
    func send(_ signal: Int32) {
        isReaped.withLock { isReaped in
            if !isReaped { kill(pid, signal) }
        }
    }

    private func waitForExit() -> Exit {
        // Waits without reaping, so that `send` never signals another process that got the same id.
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        var status: Int32 = 0
        isReaped.withLock { isReaped in
            waitpid(pid, &status, 0)
            isReaped = true
        }
        return status & 0x7f == 0 ? .code((status >> 8) & 0xff) : .signal(status & 0x7f)
    }

    /// Closed in every other program that this process may start.
    private static func socketPair() throws(SpawnError) -> (parent: Int32, child: Int32) {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw SpawnError(cause: String(cString: strerror(errno)))
        }
        // Above 2, even if lightd was started without standard streams: `spawn` replaces those one after another.
        let child = fcntl(ends[1], F_DUPFD_CLOEXEC, 3)
        close(ends[1])
        guard child >= 0 else {
            close(ends[0])
            throw SpawnError(cause: String(cString: strerror(errno)))
        }
        return (ends[0], child)
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String],
        _ input: Int32, _ output: Int32, _ errors: Int32
    ) throws(SpawnError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        closeOthersOnExec()
        for (descriptor, number) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
            posix_spawn_file_actions_adddup2(&actions, descriptor, number)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Signals that lightd ignores or blocks must reach the child.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGTERM, SIGINT, SIGPIPE] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, path, &actions, &attributes, words, variables)
        guard code == 0 else { throw SpawnError(cause: String(cString: strerror(code))) }
        return pid
    }

    /// Not every library opens its descriptors with CLOEXEC: NIO's sockets would stay open in the child. (Swift
    /// does not import glibc's `close_range` and `posix_spawn_file_actions_addclosefrom_np`.)
    private static func closeOthersOnExec() {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        for descriptor in open.compactMap(Int32.init) where descriptor > STDERR_FILENO {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }

    /// Reads on a thread of its own until the child closes its end, then closes the descriptor.
    private static func lines(of descriptor: Int32) -> AsyncStream<String> {
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        DispatchQueue(label: "child output").async {
            var buffer = [UInt8](repeating: 0, count: 4096)
            var pending: [UInt8] = []
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                pending += buffer[..<count]
                while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    line.yield(String(decoding: pending[..<end], as: UTF8.self))
                    pending.removeSubrange(...end)
                }
            }
            if !pending.isEmpty { line.yield(String(decoding: pending, as: UTF8.self)) }
            line.finish()
            close(descriptor)
        }
        return lines
    }
}
