import ControlProtocol
import Glibc

/// Why a unix socket cannot be reached: libcurl only says "could not connect", the kernel knows more.
enum SocketDiagnosis: Equatable, Sendable {
    case missing, nobodyListens, notAllowed(group: String?), pathTooLong
    case other(String)

    /// Knocks at the socket; `nil` where it opens after all.
    static func find(at path: String) -> SocketDiagnosis? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        let bytes = Array(path.utf8)
        guard bytes.count < room else { return .pathTooLong }
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
        case ECONNREFUSED: return .nobodyListens
        // Without blocking, a queue that is full says so at once.
        case EAGAIN: return .other("too many wait to be let in")
        case EACCES, EPERM: return .notAllowed(group: group(of: path))
        case let other: return .other(String(cString: strerror(other)))
        }
    }

    /// The group that may use the socket, where it can be seen.
    private static func group(of path: String) -> String? {
        var about = stat()
        guard stat(path, &about) == 0, let entry = getgrgid(about.st_gid) else { return nil }
        return String(cString: entry.pointee.gr_name)
    }

    /// One line, its hint inside: whoever reads it has a terminal and no daemon.
    func reply(_ path: SocketPath) -> ErrorReply {
        let places = path.tried.joined(separator: " or ")
        let elsewhere = "name another socket by --socket or LIGHTCTL_SOCKET"
        switch self {
        case .missing:
            return ErrorReply(
                .daemonUnreachable,
                "cannot reach lightd at \(places) (no such socket); is it running? try 'systemctl start lightd', or \(elsewhere)"
            )
        case .nobodyListens:
            return ErrorReply(
                .daemonUnreachable,
                "cannot reach lightd at \(path.chosen) (nobody listens there any more); is it running? try 'systemctl status lightd'"
            )
        case let .notAllowed(group):
            return ErrorReply(
                .notAllowed,
                "not allowed to talk to lightd at \(path.chosen) (permission denied)",
                hint: group.map { "join its group: sudo usermod -aG \($0) \"$USER\", then log in again" }
                    ?? "ask whoever runs lightd for the right to use its socket"
            )
        case .pathTooLong:
            return ErrorReply(.invalid, "\(path.chosen) is too long for a unix socket (107 bytes at most)")
        case let .other(reason):
            return ErrorReply(.daemonUnreachable, "cannot reach lightd at \(path.chosen) (\(reason)); is it running?")
        }
    }
}
