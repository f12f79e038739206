import FoundationEssentials
import Glibc

/// A program that lightctl has started, and talks with over sockets. Whoever has one must call ``end(within:)``.
struct ChildProcess: Sendable {
    private let id: pid_t
    /// What is written to it the program reads, and what it prints comes from it. It does not block.
    let stdio: Int32
    /// What the program prints to standard error. It does not block.
    let errors: Int32

    /// - Parameter command: a program's name, looked up in PATH, and its arguments.
    init(_ command: [String]) throws(SystemError) {
        let stdio = try Self.sockets()
        let errors: (ours: Int32, theirs: Int32)
        do throws(SystemError) {
            errors = try Self.sockets()
        } catch {
            for end in [stdio.ours, stdio.theirs] { close(end) }
            throw error
        }
        defer { for end in [stdio.theirs, errors.theirs] { close(end) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (end, number): (Int32, Int32) in [(stdio.theirs, 0), (stdio.theirs, 1), (errors.theirs, 2)] {
            posix_spawn_file_actions_adddup2(&actions, end, number)
        }
        // lightctl ignores SIGPIPE; what is ignored stays so in children.
        var (attributes, signals) = (posix_spawnattr_t(), sigset_t())
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let words = command.map { strdup($0) } + [nil]
        let variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var child: pid_t = 0
        let code = posix_spawnp(&child, command[0], &actions, &attributes, words, variables)
        guard code == 0 else {
            for end in [stdio.ours, errors.ours] { close(end) }
            throw SystemError(number: code)
        }
        (id, self.stdio, self.errors) = (child, stdio.ours, errors.ours)
    }

    /// Two sockets that are connected, of which lightctl's own does not block. Not a pipe: pipe() cannot make one that
    /// no other child gets.
    private static func sockets() throws(SystemError) -> (ours: Int32, theirs: Int32) {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw SystemError(number: errno)
        }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }

    /// Closes the sockets, and leaves nothing of the program: one that does not end by itself in this time is asked to
    /// by SIGTERM, on which ssh gives the terminal back as it was, and killed if it does not do that soon.
    ///
    /// - Returns: its exit status, or minus the number of the signal that ended it.
    @discardableResult
    func end(within time: Duration) -> Int32 {
        close(stdio)
        close(errors)
        if let status = status(within: time) { return status }
        kill(id, SIGTERM)
        if let status = status(within: .seconds(1)) { return status }
        kill(id, SIGKILL)
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return Self.status(status)
    }

    /// - Returns: `nil` if it still runs after this time.
    private func status(within time: Duration) -> Int32? {
        let deadline = ContinuousClock.now + time
        var pause = Duration.milliseconds(1)
        while true {
            var status: Int32 = 0
            switch waitpid(id, &status, WNOHANG) {
            case id: return Self.status(status)
            case -1 where errno != EINTR: return 0
            default: break
            }
            guard .now < deadline else { return nil }
            Poll.sleep(min(pause, deadline - .now))
            pause = min(pause * 2, .milliseconds(20))
        }
    }

    private static func status(_ status: Int32) -> Int32 {
        status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }
}
