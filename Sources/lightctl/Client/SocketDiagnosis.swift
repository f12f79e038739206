import ControlProtocol
import FoundationEssentials
import Glibc

/// Why a unix socket cannot be reached, as the kernel says it.
enum SocketDiagnosis: Error, Equatable, Sendable {
    case missing, notSocket, notListening, notAllowed(group: String?), pathTooLong
    case other(String)

    /// Connects to find the reason; `nil` if the connection succeeds after all.
    static func find(at path: String) -> SocketDiagnosis? {
        do throws(SocketDiagnosis) {
            close(try connect(to: path))
            return nil
        } catch {
            return error
        }
    }

    /// Connects to the socket at a path. A unix socket answers at once, so nothing is waited for.
    ///
    /// - Returns: a descriptor that does not block.
    static func connect(to path: String) throws(SocketDiagnosis) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        let bytes = Array(path.utf8)
        guard bytes.count < capacity else { throw .pathTooLong }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }

        do throws(SystemError) {
            return try StreamSocket.connect(AF_UNIX, &address)
        } catch {
            throw diagnosis(of: error.number, at: path)
        }
    }

    /// What the `errno` of a connection that failed says.
    private static func diagnosis(of number: Int32, at path: String) -> SocketDiagnosis {
        switch number {
        case ENOENT, ENOTDIR: .missing
        case ECONNREFUSED: isSocket(path) ? .notListening : .notSocket
        // A non-blocking socket reports a full accept queue at once.
        case EAGAIN: .other("too many connections are waiting")
        case EACCES, EPERM: .notAllowed(group: group(of: path))
        default: .other(String(cString: strerror(number)))
        }
    }

    /// Whether a path leads to a socket. Any other file refuses connections as a socket does that nobody
    /// serves.
    static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// The group that may use the socket, if its file can be inspected. From /etc/group alone, because getgrgid()
    /// loads libraries, which a static program cannot do.
    private static func group(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, let groups = FileManager.default.contents(atPath: "/etc/group") else {
            return nil
        }
        return groupName(status.st_gid, in: String(decoding: groups, as: UTF8.self))
    }

    /// The name of a group in the text of /etc/group, group(5).
    static func groupName(_ id: gid_t, in groups: String) -> String? {
        for line in groups.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count >= 3, gid_t(fields[2]) == id { return String(fields[0]) }
        }
        return nil
    }

    /// In a few words.
    var reason: String {
        switch self {
        case .missing: "no such socket"
        case .notSocket: "it is not a socket"
        case .notListening: "nothing is listening there"
        case .notAllowed: "permission denied"
        case .pathTooLong: "the path is too long for a unix socket"
        case let .other(reason): reason
        }
    }

    /// The error to print: mostly one line with the hint in it.
    func reply(_ path: SocketPath) -> ErrorReply {
        let paths = path.tried.joined(separator: " or ")
        switch self {
        case .missing:
            return ErrorReply(
                .daemonUnreachable,
                "cannot reach lightd at \(paths) (\(reason)); is it running? try 'systemctl start lightd', "
                    + "or name another socket with --socket or LIGHTCTL_SOCKET"
            )
        case .notSocket:
            return ErrorReply(
                .daemonUnreachable, "cannot reach lightd at \(path.chosen) (\(reason))",
                hint: "name lightd's socket with --socket or LIGHTCTL_SOCKET")
        case .notListening:
            return ErrorReply(
                .daemonUnreachable,
                "cannot reach lightd at \(path.chosen) (\(reason)); is it running? "
                    + "try 'systemctl status lightd'"
            )
        case let .notAllowed(group):
            return ErrorReply(
                .notAllowed,
                "not allowed to talk to lightd at \(path.chosen) (\(reason))",
                hint: group.map { "join its group: sudo usermod -aG \($0) \"$USER\", then log in again" }
                    ?? "ask the administrator for access to the socket"
            )
        case .pathTooLong:
            return ErrorReply(.invalid, "\(path.chosen) is too long for a unix socket (107 bytes at most)")
        case .other:
            return ErrorReply(.daemonUnreachable, "cannot reach lightd at \(path.chosen) (\(reason)); is it running?")
        }
    }
}
