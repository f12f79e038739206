import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file of a unix socket: mode 0660 from the moment it exists under its name, never taken from a daemon that lives, and
/// gone after a clean end.
///
/// The socket is bound under another name, in a directory that only we may enter, and moved to its place when its mode is
/// right: the umask, which belongs to the whole process, is not touched.
final class SocketFile: Sendable {
    static let longest = 107
    static let mode: mode_t = 0o660
    static let directoryMode: mode_t = 0o750

    let path: String
    /// Where the server binds it.
    let workshop: String
    private let directory: String
    private let published = Mutex<Identity?>(nil)

    /// Which file it is, so that we never remove another's of the same name.
    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t
    }

    /// Makes the directory where it is missing, and refuses a path that is taken.
    ///
    /// - Throws: ``ControlServerError``.
    init(preparing path: String) throws {
        guard !path.isEmpty else { throw ControlServerError("the path of the control socket is empty") }
        let parent = Self.parent(of: path)
        self.path = path
        // mkdtemp's name has six letters; "s" is the socket.
        guard max(path.utf8.count, parent.utf8.count + "/.XXXXXX/s".utf8.count) <= Self.longest else {
            throw ControlServerError(
                "the path of the control socket is too long: '\(path)' has \(path.utf8.count) bytes, a unix socket takes "
                    + "\(Self.longest); choose a shorter 'socket'"
            )
        }
        try Self.makeDirectory(parent)
        try Self.ensureFree(path)
        var template = Array("\(parent)/.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw ControlServerError("cannot make the control socket in '\(parent)': \(reason(errno))")
        }
        directory = template.withUnsafeBufferPointer {
            String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        workshop = directory + "/s"
    }

    /// Puts the bound socket in its place.
    func publish() throws {
        var status = stat()
        guard chmod(workshop, Self.mode) == 0, lstat(workshop, &status) == 0 else {
            throw ControlServerError("cannot set the mode of the control socket: \(reason(errno))")
        }
        // Once more: somebody may have come while we bound.
        try Self.ensureFree(path)
        guard rename(workshop, path) == 0 else {
            throw ControlServerError("cannot put the control socket at '\(path)': \(reason(errno))")
        }
        published.withLock { $0 = Identity(device: status.st_dev, inode: status.st_ino) }
        rmdir(directory)
    }

    /// Removes what we made, and nothing else. Idempotent.
    func remove() {
        unlink(workshop)
        rmdir(directory)
        guard
            let ours = published.withLock({ identity in
                defer { identity = nil }
                return identity
            })
        else { return }
        var status = stat()
        guard lstat(path, &status) == 0, ours == Identity(device: status.st_dev, inode: status.st_ino) else { return }
        unlink(path)
    }

    // MARK: What is there already

    private static func ensureFree(_ path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw ControlServerError("cannot look at '\(path)': \(reason(errno))")
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ControlServerError("'\(path)' is there and is no socket; nothing was removed")
        }
        switch probe(path) {
        case 0, EAGAIN:  // answered, or too busy to
            throw ControlServerError("another lightd already listens on \(path)")
        case ECONNREFUSED:
            // Nobody is behind it any more: what a process leaves that was killed.
            guard unlink(path) == 0 || errno == ENOENT else {
                throw ControlServerError("cannot remove the stale socket '\(path)': \(reason(errno))")
            }
        case ENOENT:
            return
        case let error:
            throw ControlServerError("cannot tell whether anybody listens on '\(path)': \(reason(error))")
        }
    }

    /// 0 where somebody answers, else the error.
    private static func probe(_ path: String) -> CInt {
        let descriptor = socket(
            AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return code == 0 ? 0 : errno
    }

    // MARK: Directories

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// With its parents; once the parent is made, one that still is not there (as under /proc) is an error and no reason to try again.
    private static func makeDirectory(_ path: String, parentIsMade: Bool = false) throws {
        guard mkdir(path, directoryMode) != 0 else {
            // What the umask took away.
            chmod(path, directoryMode)
            return
        }
        switch errno {
        case EEXIST: return
        case ENOENT where !parentIsMade && path.contains("/") && path != "/":
            try makeDirectory(parent(of: path))
            try makeDirectory(path, parentIsMade: true)
        case let error:
            throw ControlServerError("cannot make the directory '\(path)' for the control socket: \(reason(error))")
        }
    }
}

private func reason(_ error: CInt) -> String { String(cString: strerror(error)) }
