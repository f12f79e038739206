import Glibc
import Synchronization

/// The state directory: private to its user (mode 0700, files 0600 from the moment they exist) and locked by one
/// process at a time.
final class StateDirectory: Sendable {
    let path: String
    /// The descriptor that holds the lock. The kernel releases it when the process ends, however it ends.
    private let lock: Mutex<CInt?>
    /// Whether a lightd has used the directory, and its database is gone or empty.
    let hasLostDatabase: Bool
    /// Whether the lightd before did not close its database: in the log may be what it had erased.
    let hasLeftLog: Bool

    var database: String { "\(path)/lightd.sqlite" }

    /// Creates the directory if needed, removes access for others, and locks it.
    init(_ path: String) throws(StateDatabaseError) {
        self.path = path
        try Self.make(path)
        let directory = try Self.open(path)
        defer { Glibc.close(directory) }
        try Self.tighten(directory, at: path)
        let wasUsed = access("\(path)/lock", F_OK) == 0
        let descriptor = try Self.openLock(in: directory, at: path)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw code == EWOULDBLOCK
                ? .inUse(path: path) : .notWritable(path: "\(path)/lock", cause: errorMessage(code))
        }
        lock = Mutex(descriptor)
        // Of a lightd that was killed while it wrote one. It may hold keys.
        for name in [Self.restoreName, Self.beforeRestoreName, Self.salvageName] { unlink("\(path)/\(name).new") }
        hasLostDatabase = wasUsed && Self.size(of: "\(path)/lightd.sqlite") == 0
        hasLeftLog = Self.size(of: "\(path)/lightd.sqlite-wal") > 0
    }

    /// - Throws: if the write-ahead log is all that is left: SQLite would delete one beside an empty database.
    func checkLog() throws(StateDatabaseError) {
        guard hasLog, Self.size(of: database) == 0 else { return }
        throw .damaged(path: database, detail: "it is empty, but its log 'lightd.sqlite-wal' is not")
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
    var hasLog: Bool { Self.size(of: "\(database)-wal") > 0 }

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
    private static func size(of file: String) -> Int {
        var status = stat()
        return stat(file, &status) == 0 ? status.st_size : 0
    }

    /// What others may access although it is private, with its mode: the directory, or a file in it. Missing files
    /// count as private.
    static func exposed(at path: String) -> [(path: String, mode: mode_t, wanted: mode_t)] {
        let files =
            [
                "lightd.sqlite", "lightd.sqlite-wal", "lightd.sqlite-shm", "lock", restoreName, beforeRestoreName,
                salvageName,
            ] + namesOfDamaged(in: path)
        let wanted: [(String, mode_t)] = [(path, 0o700)] + files.map { ("\(path)/\($0)", 0o600) }
        return wanted.compactMap { path, wanted in
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return nil }
            return (path, status.st_mode & 0o7777, wanted)
        }
    }

    /// A backup that is to be restored, and what was there before the last one was.
    static let (restoreName, beforeRestoreName) = ("lightd.sqlite.restore", "lightd.sqlite.before-restore")

    private static let damagedPrefix = "lightd.sqlite.damaged-"

    /// Databases that were set aside.
    var damagedDatabases: [String] { Self.damagedDatabases(in: path) }

    static func damagedDatabases(in path: String) -> [String] {
        // Of some there was only the log.
        let names = namesOfDamaged(in: path).map { name in
            ["-wal", "-shm"].contains { name.hasSuffix($0) } ? String(name.dropLast(4)) : name
        }
        return Set(names).sorted().map { "\(path)/\($0)" }
    }

    /// With their logs, in order.
    private static func namesOfDamaged(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            // Behind it is a C array of 256 bytes, which ends with a zero.
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix(damagedPrefix) { names.append(name) }
        }
        return names.sorted()
    }

    /// Names the damaged database that is set aside, from before that until the new one is complete.
    private static let salvageName = "lightd.sqlite.salvage"

    /// Where a database that was set aside is.
    ///
    /// - Returns: `nil` if there is none of this name.
    private func damagedDatabase(named bytes: [UInt8]) -> String? {
        let name = String(decoding: bytes, as: UTF8.self)
        guard name.hasPrefix(Self.damagedPrefix), !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 }) else {
            return nil
        }
        let aside = "\(path)/\(name)"
        var status = stat()
        let isFile = ["", "-wal"].contains { lstat(aside + $0, &status) == 0 && status.st_mode & S_IFMT == S_IFREG }
        return isFile ? aside : nil
    }

    /// Renames the database and its log, which lightd then makes anew. If lightd ends before ``endSalvage()``, the next
    /// start has to take it back.
    ///
    /// - Parameter time: "2026-11-23T020000Z", for the name.
    /// - Returns: where the database is now.
    func setAside(at time: String) throws(StateDatabaseError) -> String {
        var target = "\(path)/\(Self.damagedPrefix)\(time)"
        var copies = 1
        while access(target, F_OK) == 0 || access("\(target)-wal", F_OK) == 0 {
            copies += 1
            target = "\(path)/\(Self.damagedPrefix)\(time)-\(copies)"
        }
        try replace(Self.salvageName, by: Array(target.dropFirst(path.count + 1).utf8))
        // The database first: without its log it could be sound, and older than what was promised.
        try rename(database, to: target, ["", "-wal", "-shm"])
        return target
    }

    /// The new database has what could be saved of the damaged one.
    func endSalvage() throws(StateDatabaseError) { try remove(Self.salvageName) }

    /// Takes ``setAside(at:)`` back, at whatever moment it or what follows it was interrupted; otherwise does nothing.
    func undoSalvage() throws(StateDatabaseError) {
        guard let name = try read(Self.salvageName) else { return }
        // A failing disk may have changed the name: what is there then is all that there is.
        guard let aside = damagedDatabase(named: name) else { return try endSalvage() }
        // What was made in its place is removed, its database last: without one, the logs are the damaged one's.
        if access(database, F_OK) == 0 {
            for end in ["-wal", "-shm", ""] where unlink("\(database)\(end)") != 0 && errno != ENOENT {
                throw .notWritable(path: "\(database)\(end)", cause: lastErrorMessage())
            }
        }
        try rename(aside, to: database, ["-shm", "-wal", ""])
        try endSalvage()
    }

    /// Renames for good those files of a database that exist, in the order of the `ends` of their names.
    private func rename(_ old: String, to new: String, _ ends: [String]) throws(StateDatabaseError) {
        for end in ends where Glibc.rename(old + end, new + end) != 0 && errno != ENOENT {
            throw .notWritable(path: old + end, cause: lastErrorMessage())
        }
        try sync()
    }

    /// Replaces a file as a whole: after a power failure it is the old one or the new one. Its mode is 0600.
    func replace(_ name: String, by bytes: [UInt8]) throws(StateDatabaseError) {
        let directory = try Self.open(path)
        defer { Glibc.close(directory) }
        let new = "\(name).new"
        unlinkat(directory, new, 0)
        let file = try Self.makeFile(new, in: directory, at: path)
        var cause = Self.write(bytes, to: file)
        if cause == nil, fsync(file) != 0 { cause = lastErrorMessage() }
        if Glibc.close(file) != 0, cause == nil { cause = lastErrorMessage() }
        if cause == nil, renameat(directory, new, directory, name) != 0 { cause = lastErrorMessage() }
        if let cause {
            unlinkat(directory, new, 0)
            throw .notWritable(path: "\(path)/\(name)", cause: cause)
        }
        guard fsync(directory) == 0 else { throw .notWritable(path: path, cause: lastErrorMessage()) }
    }

    /// Returns why not all could be written.
    private static func write(_ bytes: [UInt8], to file: CInt) -> String? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return lastErrorMessage()
            }
        }
        return nil
    }

    /// The content of a file; `nil` if it does not exist.
    func read(_ name: String) throws(StateDatabaseError) -> [UInt8]? {
        let file = Glibc.open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .unusable(path: "\(path)/\(name)", cause: lastErrorMessage())
        }
        defer { Glibc.close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = piece.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes += piece[..<count]
            } else if count == 0 {
                return bytes
            } else if errno != EINTR {
                throw .unusable(path: "\(path)/\(name)", cause: lastErrorMessage())
            }
        }
    }

    /// Removes a file for good, if it exists.
    func remove(_ name: String) throws(StateDatabaseError) {
        guard unlink("\(path)/\(name)") == 0 || errno == ENOENT else {
            throw .notWritable(path: "\(path)/\(name)", cause: lastErrorMessage())
        }
        try sync()
    }

    /// Makes what was renamed and removed survive a power failure.
    private func sync() throws(StateDatabaseError) {
        let directory = try Self.open(path)
        defer { Glibc.close(directory) }
        guard fsync(directory) == 0 else { throw .notWritable(path: path, cause: lastErrorMessage()) }
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
