import ControlProtocol
import Glibc

/// Why a unix socket cannot be reached. libcurl only says "could not connect"; the kernel gives the reason.
enum SocketDiagnosis: Equatable, Sendable {
    case missing, notListening, notAllowed(group: String?), pathTooLong
    case other(String)

    /// Connects to find the reason; `nil` if the connection succeeds after all.
    static func find(at path: String) -> SocketDiagnosis? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        let bytes = Array(path.utf8)
        guard bytes.count < capacity else { return .pathTooLong }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }

        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return .other(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code != 0 else { return nil }
        switch errno {
        case ENOENT, ENOTDIR: return .missing
        case ECONNREFUSED: return .notListening
        // A non-blocking socket reports a full accept queue at once.
        case EAGAIN: return .other("too many connections are waiting")
        case EACCES, EPERM: return .notAllowed(group: group(of: path))
        case let other: return .other(String(cString: strerror(other)))
        }
    }

    /// The group that may use the socket, if the file can be inspected.
    private static func group(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, let entry = getgrgid(status.st_gid) else { return nil }
        return String(cString: entry.pointee.gr_name)
    }

    /// The error to print: mostly one line with the hint in it.
    func reply(_ path: SocketPath) -> ErrorReply {
        let paths = path.tried.joined(separator: " or ")
        switch self {
        case .missing:
            return ErrorReply(
                .daemonUnreachable,
                "cannot reach lightd at \(paths) (no such socket); is it running? try 'systemctl start lightd', "
                    + "or name another socket with --socket or LIGHTCTL_SOCKET"
            )
        case .notListening:
            return ErrorReply(
                .daemonUnreachable,
                "cannot reach lightd at \(path.chosen) (nothing is listening there); is it running? "
                    + "try 'systemctl status lightd'"
            )
        case let .notAllowed(group):
            return ErrorReply(
                .notAllowed,
                "not allowed to talk to lightd at \(path.chosen) (permission denied)",
                hint: group.map { "join its group: sudo usermod -aG \($0) \"$USER\", then log in again" }
                    ?? "ask the administrator for access to the socket"
            )
        case .pathTooLong:
            return ErrorReply(.invalid, "\(path.chosen) is too long for a unix socket (107 bytes at most)")
        case let .other(reason):
            return ErrorReply(.daemonUnreachable, "cannot reach lightd at \(path.chosen) (\(reason)); is it running?")
        }
    }
}
