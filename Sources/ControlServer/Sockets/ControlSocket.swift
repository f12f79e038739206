public import Logging
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The listening unix socket of the control API. While no server accepts them, clients wait in its queue: one that lightd
/// has made stays while lightd begins anew within its process, and one that the service manager holds until the next
/// lightd.
public final class ControlSocket: Sendable {
    public let path: String
    /// `nil` once it is closed.
    private let descriptor: Mutex<Int32?>
    /// `nil` if the service manager has made the socket.
    private let file: SocketFile?

    /// Makes the socket, for its user and a group.
    ///
    /// - Parameters:
    ///   - path: at most 107 bytes, as the kernel's `sun_path` holds 108 with its final zero (unix(7)).
    ///   - group: who may use the socket; `nil`: the group of the process.
    /// - Throws: ``ControlServerError``, also if another lightd listens there.
    public init(at path: String, group: UInt32? = nil) throws(ControlServerError) {
        let file = try SocketFile(preparing: path, group: group)
        descriptor = Mutex(try file.listen())
        (self.path, self.file) = (path, file)
    }

    /// Takes a socket of the service manager, and closes its descriptor in programs that this one starts.
    ///
    /// - Parameter path: where clients look for the socket.
    /// - Throws: ``ControlServerError`` if the descriptor is not a unix socket that listens there.
    public init(inherited descriptor: Int32, at path: String) throws(ControlServerError) {
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
            throw ControlServerError("descriptor \(descriptor) is not open: \(String(cString: strerror(errno)))")
        }
        guard Self.option(SO_DOMAIN, of: descriptor) == AF_UNIX,
            Self.option(SO_TYPE, of: descriptor) == CInt(SOCK_STREAM.rawValue),
            Self.option(SO_ACCEPTCONN, of: descriptor) == 1
        else { throw ControlServerError("descriptor \(descriptor) is not a unix stream socket that listens") }
        let bound = Self.path(of: descriptor)
        guard let bound, Self.isSame(bound, path) else {
            throw ControlServerError(
                "the socket listens at '\(bound ?? "no path")', but 'socket' is '\(path)': both must be the same")
        }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            throw ControlServerError("the file of the socket, '\(path)', is gone, so nobody can connect")
        }
        self.descriptor = Mutex(descriptor)
        (self.path, file) = (path, nil)
    }

    /// Ends a socket that lightd has made, with its file; one of the service manager stays. To be called when no server
    /// has it any more. Idempotent.
    public func close() {
        guard let file else { return }
        if let open = descriptor.withLock({ $0.take() }) { Glibc.close(open) }
        file.remove()
    }

    /// Another descriptor of the socket, for a server. The caller closes it.
    func duplicate() throws(ControlServerError) -> Int32 {
        let copy = descriptor.withLock { fcntl($0 ?? -1, F_DUPFD_CLOEXEC, 0) }
        guard copy >= 0 else {
            throw ControlServerError("cannot listen on \(path): \(String(cString: strerror(errno)))")
        }
        return copy
    }

    /// Gives the file of the service manager's socket to the group that is configured. Says so if lightd may not, because
    /// the service works without it.
    public func give(to group: UInt32?, logger: Logger) {
        var status = stat()
        guard let group, stat(path, &status) != 0 || status.st_gid != group, chown(path, uid_t.max, group) != 0 else {
            return
        }
        logger.warning(
            """
            'socket_group' has no effect, because systemd makes the socket: name the group there, with \
            'systemctl edit lightd.socket', [Socket] and SocketGroup=
            """, metadata: ["socket": "\(path)", "reason": "\(String(cString: strerror(errno)))"])
    }

    private static func option(_ name: CInt, of descriptor: CInt) -> CInt? {
        var (value, size) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    /// `nil` if it has none, or one in the abstract namespace.
    private static func path(of descriptor: CInt) -> String? {
        var (address, size) = (sockaddr_un(), socklen_t(MemoryLayout<sockaddr_un>.size))
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard code == 0 else { return nil }
        let bytes = withUnsafeBytes(of: &address.sun_path) { Array($0.prefix { $0 != 0 }) }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Whether both lead to the same file: /var/run is /run.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        var files = (stat(), stat())
        return lstat(one, &files.0) == 0 && lstat(other, &files.1) == 0
            && files.0.st_dev == files.1.st_dev && files.0.st_ino == files.1.st_ino
    }
}
