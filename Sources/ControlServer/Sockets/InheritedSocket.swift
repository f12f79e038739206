import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A listening unix socket that the service manager has made and holds: it stays when lightd ends, and clients wait in its
/// queue until the next lightd accepts them.
public struct InheritedSocket: Equatable, Sendable {
    /// Its descriptor in this process.
    public let descriptor: Int32
    private let path: String

    /// Takes a descriptor and closes it in programs that this one starts.
    ///
    /// - Parameter path: where clients look for the socket.
    /// - Throws: ``ControlServerError`` if the descriptor is not a unix socket that listens there.
    public init(_ descriptor: Int32, at path: String) throws(ControlServerError) {
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
        self.descriptor = descriptor
        self.path = path
    }

    /// Gives its file to the group that is configured. Says so if lightd may not, because the service works without it.
    func give(to group: gid_t?, logger: Logger) {
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
