import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file of a unix socket: mode 0660 from the moment it exists under its name, never taken from a running daemon, and
/// removed at a clean end.
///
/// The socket is bound under a temporary name in a private directory and moved to its path when its mode is set. The
/// umask stays as it is, because it belongs to the whole process.
final class SocketFile: Sendable {
    static let longest = 107
    static let mode: mode_t = 0o660
    static let directoryMode: mode_t = 0o750

    let path: String
    /// The group that may use the socket; `nil`: that of the process.
    private let group: gid_t?
    /// Where the socket is bound.
    private let temporaryPath: String
    private let directory: String
    private let published = Mutex<FileID?>(nil)

    /// Identifies the file, so that another process's socket at the same path is never removed.
    private struct FileID: Equatable {
        let device: dev_t
        let inode: ino_t
    }

    /// Creates the directory if it is missing.
    ///
    /// - Throws: also if the path is taken.
    init(preparing path: String, group: gid_t?) throws(ControlServerError) {
        guard !path.isEmpty else { throw ControlServerError("the path of the control socket is empty") }
        let parent = Self.parent(of: path)
        self.path = path
        self.group = group
        // mkdtemp replaces the six letters; "s" is the socket.
        guard max(path.utf8.count, parent.utf8.count + "/.XXXXXX/s".utf8.count) <= Self.longest else {
            throw ControlServerError(
                "the path of the control socket is too long: '\(path)' has \(path.utf8.count) bytes, "
                    + "a unix socket takes \(Self.longest); choose a shorter 'socket'"
            )
        }
        try Self.makeDirectory(parent, for: group)
        try Self.ensureFree(path)
        var template = Array("\(parent)/.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw ControlServerError("cannot create the control socket in '\(parent)': \(reason(errno))")
        }
        directory = template.withUnsafeBufferPointer {
            String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        temporaryPath = directory + "/s"
    }

    /// Makes the socket, which listens from the moment that it is at its path.
    ///
    /// - Returns: its descriptor, which the caller closes.
    func listen() throws(ControlServerError) -> CInt {
        let descriptor = Self.make()
        do throws(ControlServerError) {
            guard descriptor >= 0, Self.withAddress(temporaryPath, { Glibc.bind(descriptor, $0, $1) }) == 0,
                Glibc.listen(descriptor, SOMAXCONN) == 0
            else { throw ControlServerError("cannot create the control socket in '\(directory)': \(reason(errno))") }
            try publish()
            return descriptor
        } catch {
            close(descriptor)
            remove()
            throw error
        }
    }

    /// Moves the bound socket to its path.
    private func publish() throws(ControlServerError) {
        if let group, chown(temporaryPath, uid_t.max, group) != 0 {
            throw ControlServerError(
                "cannot give the control socket to group \(group): \(reason(errno)); "
                    + "the user that lightd runs as must be a member of 'socket_group'")
        }
        var status = stat()
        guard chmod(temporaryPath, Self.mode) == 0, lstat(temporaryPath, &status) == 0 else {
            throw ControlServerError("cannot set the mode of the control socket: \(reason(errno))")
        }
        // Again, because another daemon may have started meanwhile.
        try Self.ensureFree(path)
        guard rename(temporaryPath, path) == 0 else {
            throw ControlServerError("cannot move the control socket to '\(path)': \(reason(errno))")
        }
        published.withLock { $0 = FileID(device: status.st_dev, inode: status.st_ino) }
        rmdir(directory)
    }

    /// Removes only what this object created. Idempotent.
    func remove() {
        unlink(temporaryPath)
        rmdir(directory)
        var status = stat()
        guard let ours = published.withLock({ $0.take() }), lstat(path, &status) == 0,
            ours == FileID(device: status.st_dev, inode: status.st_ino)
        else { return }
        unlink(path)
    }

    // MARK: What is at the path already

    private static func ensureFree(_ path: String) throws(ControlServerError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw ControlServerError("cannot inspect '\(path)': \(reason(errno))")
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ControlServerError("'\(path)' exists and is not a socket; nothing was removed")
        }
        switch probe(path) {
        case 0, EAGAIN:  // answered, or is too busy to answer
            throw ControlServerError("another lightd already listens on \(path)")
        case ECONNREFUSED:
            // A killed process leaves such a socket behind.
            guard unlink(path) == 0 || errno == ENOENT else {
                throw ControlServerError("cannot remove the stale socket '\(path)': \(reason(errno))")
            }
        case ENOENT:
            return
        case let error:
            throw ControlServerError("cannot tell whether another lightd listens on '\(path)': \(reason(error))")
        }
    }

    /// 0 if a process answers, else the error.
    private static func probe(_ path: String) -> CInt {
        let descriptor = make()
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return withAddress(path) { Glibc.connect(descriptor, $0, $1) } == 0 ? 0 : errno
    }

    private static func make() -> CInt {
        socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    }

    private static func withAddress(_ path: String, _ use: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    // MARK: Directories

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Also creates its parents. If the directory still cannot be created once its parent exists (as under /proc), that
    /// is an error.
    private static func makeDirectory(
        _ path: String, for group: gid_t?, parentExists: Bool = false
    ) throws(ControlServerError) {
        guard mkdir(path, directoryMode) != 0 else {
            // A failure is reported for the socket itself.
            if let group { chown(path, uid_t.max, group) }
            // The umask may have removed bits.
            chmod(path, directoryMode)
            return
        }
        switch errno {
        case EEXIST: return
        case ENOENT where !parentExists && path.contains("/") && path != "/":
            try makeDirectory(parent(of: path), for: group)
            try makeDirectory(path, for: group, parentExists: true)
        case let error:
            throw ControlServerError("cannot create the directory '\(path)' for the control socket: \(reason(error))")
        }
    }
}

private func reason(_ error: CInt) -> String { String(cString: strerror(error)) }
