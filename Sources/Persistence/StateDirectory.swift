import Glibc
import Synchronization

/// The directory of the state: ours alone (mode 0700), its files ours alone (0600) from the moment they exist, and held by one
/// process at a time.
final class StateDirectory: Sendable {
    let path: String
    /// The descriptor that bears the lock. The kernel lets go of it when the process ends, however it ends.
    private let lock: Mutex<CInt?>

    var database: String { "\(path)/lightd.sqlite" }

    /// Makes the directory where it is missing, tightens it where it is ours but open to others, and locks it.
    init(_ path: String) throws(StateDatabaseError) {
        self.path = path
        try Self.make(path)
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .notWritable(path: path, cause: lastWords()) }
        defer { Glibc.close(directory) }
        try Self.tighten(directory, at: path)
        let descriptor = try Self.makeFile("lock", in: directory, at: path)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw code == EWOULDBLOCK ? .inUse(path: path) : .notWritable(path: "\(path)/lock", cause: words(of: code))
        }
        lock = Mutex(descriptor)
        try prepareFiles(in: directory)
    }

    deinit { letGo() }

    /// Lets another process have the directory. Idempotent.
    func letGo() {
        lock.withLock { descriptor in
            if let open = descriptor {
                // Said aloud: a child between fork and exec still has the descriptor, and closing ours would not free the lock.
                flock(open, LOCK_UN)
                Glibc.close(open)
            }
            descriptor = nil
        }
    }

    /// SQLite gives its -wal and -shm the mode of the database, so that making the database first settles all three.
    private func prepareFiles(in directory: CInt) throws(StateDatabaseError) {
        Glibc.close(try Self.makeFile("lightd.sqlite", in: directory, at: path))
        for name in ["lightd.sqlite-wal", "lightd.sqlite-shm"] where fchmodat(directory, name, 0o600, 0) != 0 {
            guard errno == ENOENT else { throw .notWritable(path: "\(path)/\(name)", cause: lastWords()) }
        }
        // SQLite takes a log beside an empty database for rubbish and deletes it. It may be all that is left.
        var main = stat()
        var log = stat()
        if stat(database, &main) == 0, main.st_size == 0, stat("\(database)-wal", &log) == 0, log.st_size > 0 {
            throw .damaged(path: database, detail: "it is empty, but its log 'lightd.sqlite-wal' is not")
        }
    }

    /// The parents as anyone may enter them, the directory itself for us alone.
    private static func make(_ path: String, mode: mode_t = 0o700) throws(StateDatabaseError) {
        if mkdir(path, mode) == 0 || errno == EEXIST { return }
        let code = errno
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        guard code == ENOENT, !parent.isEmpty else { throw .notWritable(path: path, cause: words(of: code)) }
        try make(parent, mode: 0o755)
        guard mkdir(path, mode) == 0 || errno == EEXIST else { throw .notWritable(path: path, cause: lastWords()) }
    }

    private static func tighten(_ directory: CInt, at path: String) throws(StateDatabaseError) {
        var status = stat()
        guard fstat(directory, &status) == 0 else { throw .notWritable(path: path, cause: lastWords()) }
        guard status.st_uid == geteuid() else {
            throw .belongsToOthers(path: path, owner: status.st_uid, user: geteuid())
        }
        if status.st_mode & 0o7777 != 0o700, fchmod(directory, 0o700) != 0 {
            throw .notWritable(path: path, cause: lastWords())
        }
    }

    /// Opens a file of mode 0600, making it where it is missing.
    private static func makeFile(
        _ name: String, in directory: CInt, at path: String
    ) throws(StateDatabaseError) -> CInt {
        let descriptor = openat(directory, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .notWritable(path: "\(path)/\(name)", cause: lastWords()) }
        guard fchmod(descriptor, 0o600) == 0 else {
            let cause = lastWords()
            Glibc.close(descriptor)
            throw .notWritable(path: "\(path)/\(name)", cause: cause)
        }
        return descriptor
    }
}

private func lastWords() -> String { words(of: errno) }

/// The C library's words for an error number. Copied at once; glibc keeps them apart by thread.
private func words(of code: CInt) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
