import FoundationEssentials
import Glibc

/// Finds the addresses of a host by its name, as this machine is configured to do (nsswitch.conf(5)): by /etc/hosts,
/// DNS, mDNS.
///
/// getent(1) does it, as a child: getaddrinfo() loads libraries, which a static program cannot do, and it waits for as
/// long as it likes.
enum HostLookup {
    /// - Parameter command: which is given the name as its last argument.
    /// - Returns: numeric addresses in the order to try them, at least one.
    static func addresses(
        of name: String, by command: [String] = ["getent", "ahosts"], until deadline: ContinuousClock.Instant
    ) throws(HostDiagnosis) -> [String] {
        let (child, output) = try start(command + [name])
        defer { close(output) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        reading: while true {
            let count = recv(output, &buffer, buffer.count, 0)
            switch count {
            case 1...: text += buffer[..<count]
            case 0: break reading
            default:
                guard errno == EAGAIN || errno == EINTR else { break reading }
                guard .now < deadline else {
                    kill(child, SIGKILL)
                    _ = end(of: child)
                    throw .lookUpTimedOut
                }
                Poll.wait(forInputOf: output, atMost: deadline - .now)
            }
        }
        let status = end(of: child)
        let found = Self.addresses(in: String(decoding: text, as: UTF8.self))
        guard found.isEmpty else { return found }
        // 2: the name is not known.
        throw status == 0 || status == 2 ? .unknownName : .cannotLookUp("\(command[0]) ended with status \(status)")
    }

    /// The addresses in what getent prints, each once: "192.168.1.3   STREAM lights.lan", and the same for DGRAM and RAW.
    static func addresses(in text: String) -> [String] {
        var all: [String] = []
        for line in text.split(separator: "\n") {
            guard let address = line.split(whereSeparator: \.isWhitespace).first.map(String.init),
                IPEndpoint(address, 0) != nil, !all.contains(address)
            else { continue }
            all.append(address)
        }
        return all
    }

    /// - Returns: its number, and a descriptor that does not block and has what it prints.
    private static func start(_ command: [String]) throws(HostDiagnosis) -> (pid_t, Int32) {
        // Not a pipe: pipe() cannot make one that no other child gets.
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, flags, 0, &ends) == 0 else {
            throw .cannotLookUp(SystemError(number: errno).description)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        let words = command.map { strdup($0) } + [nil]
        let variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var child: pid_t = 0
        let code = posix_spawnp(&child, command[0], &actions, nil, words, variables)
        close(ends[1])
        guard code == 0 else {
            close(ends[0])
            throw .cannotLookUp("\(command[0]): \(SystemError(number: code))")
        }
        return (child, ends[0])
    }

    /// Waits for the end of a child that has printed everything, or was killed.
    ///
    /// - Returns: its exit status, or minus the number of the signal that ended it.
    private static func end(of child: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }
}
