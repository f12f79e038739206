import ControlProtocol
import FoundationEssentials

/// What can be seen of this machine without lightd, from the files of the system.
enum Machine {
    static var checks: [CheckBody] { [avahi(root: ""), network(root: "")] }

    /// Whether avahi-daemon runs.
    ///
    /// - Parameter root: before the absolute paths; tests have a system of their own.
    static func avahi(root: String) -> CheckBody {
        let number = text("\(root)/run/avahi-daemon/pid").flatMap { Int32($0) }
        guard let number, text("\(root)/proc/\(number)/comm") == "avahi-daemon" else {
            return CheckBody(
                "mdns", .warning, "avahi-daemon is not running: lightd cannot find bridges by mDNS",
                remedy: "start it with 'systemctl start avahi-daemon'")
        }
        return CheckBody("mdns", .ok, "avahi-daemon is running")
    }

    /// Whether an interface that is not the loopback is up and has multicast. Flags as in netdevice(7).
    static func network(root: String) -> CheckBody {
        let (up, loopback, multicast) = (0x1, 0x8, 0x1000)
        let directory = "\(root)/sys/class/net"
        // Empty if /sys is not mounted, as in some containers.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let able = names.sorted().filter { name in
            let flags = text("\(directory)/\(name)/flags").flatMap { Int($0.dropFirst(2), radix: 16) } ?? 0
            return flags & up != 0 && flags & multicast != 0 && flags & loopback == 0
        }
        guard !able.isEmpty else {
            return CheckBody(
                "network", .warning, "no network interface is up and has multicast",
                remedy: "'ip address' shows all; bring up the one of your home's network")
        }
        return CheckBody("network", .ok, "multicast on \(able.joined(separator: ", "))")
    }

    /// "Debian GNU/Linux 12 (bookworm)", as os-release(5) says.
    static var distribution: String? {
        text("/etc/os-release")?.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
            .map { $0.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" } }
    }

    static var kernel: String? { text("/proc/sys/kernel/osrelease") }

    /// What a small file says, without the space around it; `nil` if it cannot be read.
    private static func text(_ path: String) -> String? {
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        return String(decoding: bytes, as: UTF8.self).trimmed
    }
}

extension String {
    fileprivate var trimmed: String {
        let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? startIndex
        return String(self[..<end].drop { $0.isWhitespace })
    }
}
