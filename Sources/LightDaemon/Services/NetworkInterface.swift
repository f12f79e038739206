import Glibc
import Lighting

/// A network interface of this machine.
struct NetworkInterface: Equatable, Sendable {
    var name: String
    var isUp: Bool
    var isLoopback: Bool
    /// Whether it can send to many hosts at once, which mDNS needs.
    var hasMulticast: Bool

    /// Those that have an address; none if the system does not say.
    static var all: [NetworkInterface] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var interfaces: [NetworkInterface] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            let family = (entry.ifa_addr?.pointee.sa_family).map { Int32($0) }
            let name = String(cString: entry.ifa_name)
            guard family == AF_INET || family == AF_INET6, !interfaces.contains(where: { $0.name == name }) else {
                continue
            }
            func has(_ flag: Int) -> Bool { Int(entry.ifa_flags) & flag != 0 }
            interfaces.append(
                NetworkInterface(
                    name: name, isUp: has(Int(IFF_UP)), isLoopback: has(Int(IFF_LOOPBACK)),
                    hasMulticast: has(Int(IFF_MULTICAST))))
        }
        return interfaces
    }

    static func check(_ all: [NetworkInterface]) -> Check {
        let up = all.filter { $0.isUp && !$0.isLoopback }
        guard !up.isEmpty else {
            return Check(
                "network", .warning, "no network interface is up and has an address",
                remedy: .other("'ip address' shows all; bring up the one of your home's network"))
        }
        let able = up.filter(\.hasMulticast).map(\.name).joined(separator: ", ")
        guard !able.isEmpty else {
            return Check(
                "network", .warning,
                "no interface has multicast (\(up.map(\.name).joined(separator: ", "))): no mDNS there",
                remedy: .other("name the bridges under discovery.hosts, or run 'ip link set dev NAME multicast on'"))
        }
        return Check("network", .ok, "multicast on \(able)")
    }
}
