import Glibc
import Synchronization

/// The state directory: private to its user (mode 0700, files 0600 from the moment they exist) and locked by one
/// process at a time.
final class StateDirectory: Sendable {
    let path: String
    /// The descriptor that holds the lock. The kernel releases it when the process ends, however it ends.
    private let lock: Mutex<CInt?>

    var database: String { "\(path)/lightd.sqlite" }

    /// Creates the directory if needed, removes access for others, and locks it.
    init(_ path: String) throws(StateDatabaseError) {
        self.path = path
        try Self.make(path)
        let directory = try Self.open(path)
        defer { Glibc.close(directory) }
        try Self.tighten(directory, at: path)
        let descriptor = try Self.openLock(in: directory, at: path)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw code == EWOULDBLOCK
                ? .inUse(path: path) : .notWritable(path: "\(path)/lock", cause: errorMessage(code))
        }
        lock = Mutex(descriptor)
        // SQLite would delete a log beside an empty database, and that log may be all that is left.
        if hasLog, size(of: database) == 0 {
            throw .damaged(path: database, detail: "it is empty, but its log 'lightd.sqlite-wal' is not")
        }
    }

    deinit { unlock() }

    /// Lets another process use the directory. Idempotent.
    func unlock() {
        lock.withLock { descriptor in
            if let open = descriptor {
                // Explicit: a child between fork and exec still has the descriptor, so closing ours would not release
                // the lock.
                flock(open, LOCK_UN)
                Glibc.close(open)
            }
            descriptor = nil
        }
    }

    /// Whether the write-ahead log may contain what the database does not.
    var hasLog: Bool { size(of: "\(database)-wal") > 0 }

    /// Whether nothing is known that prevents writing: the files may be written, and the disk has space.
    var mayBeWritable: Bool {
        let files: [String] = [path, database, "\(database)-wal"]
        guard files.allSatisfy({ file in access(file, W_OK) == 0 || errno == ENOENT }) else { return false }
        var system = statvfs()
        // Root may use the reserve.
        return statvfs(path, &system) != 0 || (geteuid() == 0 ? system.f_bfree : system.f_bavail) > 0
    }

    /// Creates the database file. SQLite gives its -wal and -shm the same mode.
    func prepareFiles() throws(StateDatabaseError) {
        let directory = try Self.open(path)
        defer { Glibc.close(directory) }
        Glibc.close(try Self.makeFile("lightd.sqlite", in: directory, at: path))
        for name in ["lightd.sqlite-wal", "lightd.sqlite-shm"] where fchmodat(directory, name, 0o600, 0) != 0 {
            guard errno == ENOENT else { throw .notWritable(path: "\(path)/\(name)", cause: lastErrorMessage()) }
        }
    }

    /// In bytes; 0 if the file does not exist.
    private func size(of file: String) -> Int {
        var status = stat()
        return stat(file, &status) == 0 ? status.st_size : 0
    }

    private static func open(_ path: String) throws(StateDatabaseError) -> CInt {
        let directory = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .notWritable(path: path, cause: lastErrorMessage()) }
        return directory
    }

    /// Creates the directory with `mode`, and its missing parents with 0755.
    private static func make(_ path: String, mode: mode_t = 0o700) throws(StateDatabaseError) {
        if mkdir(path, mode) == 0 || errno == EEXIST { return }
        let code = errno
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        guard code == ENOENT, !parent.isEmpty else { throw .notWritable(path: path, cause: errorMessage(code)) }
        try make(parent, mode: 0o755)
        guard mkdir(path, mode) == 0 || errno == EEXIST else {
            throw .notWritable(path: path, cause: lastErrorMessage())
        }
    }

    private static func tighten(_ directory: CInt, at path: String) throws(StateDatabaseError) {
        var status = stat()
        guard fstat(directory, &status) == 0 else { throw .notWritable(path: path, cause: lastErrorMessage()) }
        guard status.st_uid == geteuid() else {
            throw .belongsToOthers(path: path, owner: status.st_uid, user: geteuid())
        }
        if status.st_mode & 0o7777 != 0o700, fchmod(directory, 0o700) != 0 {
            throw .notWritable(path: path, cause: lastErrorMessage())
        }
    }

    /// The file to lock. One that can only be read will do.
    private static func openLock(in directory: CInt, at path: String) throws(StateDatabaseError) -> CInt {
        do throws(StateDatabaseError) {
            return try makeFile("lock", in: directory, at: path)
        } catch {
            let descriptor = openat(directory, "lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { throw error }
            return descriptor
        }
    }

    /// Opens a file with mode 0600, creating it if needed.
    private static func makeFile(
        _ name: String, in directory: CInt, at path: String
    ) throws(StateDatabaseError) -> CInt {
        let descriptor = openat(directory, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .notWritable(path: "\(path)/\(name)", cause: lastErrorMessage()) }
        guard fchmod(descriptor, 0o600) == 0 else {
            let cause = lastErrorMessage()
            Glibc.close(descriptor)
            throw .notWritable(path: "\(path)/\(name)", cause: cause)
        }
        return descriptor
    }
}

private func lastErrorMessage() -> String { errorMessage(errno) }

/// The C library's text for an error number, copied at once because glibc reuses the buffer within a thread.
private func errorMessage(_ code: CInt) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
