import Glibc
import Logging
import Synchronization

/// Writes log entries to systemd's journal with their fields, by its native protocol
/// (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/): one datagram for each entry, a line for each field.
final class JournalSocket: Sendable {
    /// What became of an entry.
    enum Delivery: Equatable, Sendable {
        case written
        /// The journal takes nothing at the moment. Waiting for it would stop the lights.
        case full
        /// The journal cannot be reached this way, or the entry is too long for a datagram.
        case impossible
    }

    static let path = "/run/systemd/journal/socket"

    private let descriptor: CInt
    /// Entries that the journal did not take since it took one.
    private let lost = Mutex(0)

    /// `nil` if nothing listens there.
    init?(path: String = JournalSocket.path) {
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else {
            close(descriptor)
            return nil
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }

    /// - Parameters:
    ///   - message: one line, with the facts: what 'journalctl' shows.
    ///   - facts: each becomes a field, "LIGHTD_BRIDGE" for "bridge".
    func write(_ message: String, priority: Int, facts: [(name: String, value: String)]) -> Delivery {
        lost.withLock { lost in
            if lost > 0 {
                let notice = Self.entry(
                    "\(lost) lines of the log are lost: the journal did not take them", priority: 4, facts: [])
                guard send(notice) == .written else {
                    lost += 1
                    return .full
                }
                lost = 0
            }
            let delivery = send(Self.entry(message, priority: priority, facts: facts))
            if delivery == .full { lost += 1 }
            return delivery
        }
    }

    /// The fields' values are in one line each, so none needs the form with a length.
    static func entry(_ message: String, priority: Int, facts: [(name: String, value: String)]) -> String {
        var fields = ["PRIORITY=\(priority)", "SYSLOG_IDENTIFIER=lightd", "MESSAGE=\(message)"]
        fields += facts.map { "\(fieldName($0.name))=\($0.value)" }
        return fields.map { $0.replacing("\n", with: " ") + "\n" }.joined()
    }

    /// Capitals, digits and underscores, at most 64, as journald demands.
    private static func fieldName(_ name: String) -> String {
        let letters = name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        return "LIGHTD_" + String(letters.prefix(57))
    }

    private func send(_ entry: String) -> Delivery {
        let sent = Array(entry.utf8).withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        if sent >= 0 { return .written }
        return errno == EAGAIN || errno == ENOBUFS ? .full : .impossible
    }
}

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
