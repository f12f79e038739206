import Glibc

/// Whether standard error is the journal's stream that systemd opened for us.
enum JournalStream {
    /// `JOURNAL_STREAM` is "DEVICE:INODE", and inherited by whatever a service starts, terminals included: it holds only for the
    /// very stream that it names (systemd.exec(5)). That stream is a socket, and all sockets live on one device.
    static func isStandardError(_ environment: [String: String]) -> Bool {
        guard let inode = environment["JOURNAL_STREAM"]?.split(separator: ":").last else { return false }
        var target = [CChar](repeating: 0, count: 64)
        let length = readlink("/proc/self/fd/2", &target, target.count)
        let name = String(decoding: target.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return name == "socket:[\(inode)]"
    }
}
