import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The process at the other end of a connection over the unix socket.
struct SocketPeer: Equatable, Sendable {
    /// The kernel's word, as of when the process connected (SO_PEERCRED, unix(7)). No process can choose it.
    let uid: UInt32
    /// What the process is called, which it can choose itself (proc_pid_comm(5)). `nil` if it is hidden or has ended; if
    /// its number was given to another process since, that one's name.
    let program: String?

    /// What stands for users that the kernel cannot name here, because they have no number in lightd's user namespace
    /// (user_namespaces(7)). All of them look alike.
    private static let unmapped: UInt32 = 65534

    /// Whether it may have what lightd itself has, such as the keys of the bridges: root, and the user that lightd runs as.
    var isOwner: Bool { uid == 0 || (uid == geteuid() && uid != Self.unmapped) }
}

extension SocketPeer {
    /// `struct ucred`, as the kernel fills it.
    private struct Credentials: Sendable {
        var pid: Int32
        var uid: UInt32
        var gid: UInt32
    }

    /// Who has opened a connection; `nil` if it is not one over the unix socket. On the channel's event loop, at which it
    /// is complete at once.
    static func of(_ channel: any Channel) -> EventLoopFuture<SocketPeer?> {
        guard channel.remoteAddress?.ipAddress == nil, let socket = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeSucceededFuture(nil)
        }
        let credentials: EventLoopFuture<Credentials> = socket.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
        // Fails only if the connection is closed already.
        return credentials.map { SocketPeer(uid: $0.uid, program: program(of: $0.pid)) }.flatMapErrorThrowing { _ in nil
        }
    }

    /// Reads no disk: the kernel makes this file.
    ///
    /// - Parameter process: 0 for one that lightd's namespace does not have, as outside of its container.
    static func program(of process: Int32) -> String? {
        guard process > 0 else { return nil }
        let file = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let name = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }
        return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
    }
}
