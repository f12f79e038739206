import Glibc

/// Detects whether standard error goes to systemd's journal.
enum SystemdJournal {
    /// Compares standard error with `JOURNAL_STREAM`, "DEVICE:INODE". The variable alone proves nothing: child
    /// processes inherit it even if their output goes elsewhere (systemd.exec(5)). The stream is a socket, and all
    /// sockets are on one device.
    static func isStandardError(_ environment: [String: String]) -> Bool {
        guard let inode = environment["JOURNAL_STREAM"]?.split(separator: ":").last else { return false }
        var target = [CChar](repeating: 0, count: 64)
        let length = readlink("/proc/self/fd/2", &target, target.count)
        let name = String(decoding: target.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return name == "socket:[\(inode)]"
    }
}
