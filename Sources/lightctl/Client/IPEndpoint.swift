import Glibc

/// An IP address and a port.
struct IPEndpoint: Equatable, Sendable {
    /// Without brackets: "192.168.1.3", "fe80::1%eth0".
    let address: String
    let port: UInt16

    /// - Returns: `nil` if the text is a name.
    init?(_ address: String, _ port: UInt16) {
        (self.address, self.port) = (address, port)
        guard Self.v4(address) != nil || Self.v6(address) != nil else { return nil }
    }

    var isIPv6: Bool { Self.v6(address) != nil }

    /// 127.0.0.0/8 and ::1.
    var isLoopback: Bool {
        if let v4 = Self.v4(address) { return UInt32(bigEndian: v4.sin_addr.s_addr) >> 24 == 127 }
        guard var v6 = Self.v6(address) else { return false }
        return withUnsafeBytes(of: &v6.sin6_addr) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    }

    /// Begins to connect, and waits for nothing: the socket can be written to as soon as it is connected.
    ///
    /// - Returns: a descriptor that does not block.
    func connect() throws(SystemError) -> Int32 {
        let descriptor: Int32
        if var address = Self.v4(address) {
            address.sin_port = port.bigEndian
            descriptor = try StreamSocket.connect(AF_INET, &address)
        } else if var address = Self.v6(address) {
            address.sin6_port = port.bigEndian
            descriptor = try StreamSocket.connect(AF_INET6, &address)
        } else {
            throw SystemError(number: EAFNOSUPPORT)
        }
        Self.setOptions(of: descriptor)
        return descriptor
    }

    /// A machine that lost its power does not say so: a stream that is silent for 20 s is checked every 5 s, and ends
    /// after three checks without an answer. Without an option everything still works, only later, so none can fail.
    private static func setOptions(of descriptor: Int32) {
        let options = [
            // The last part of a long body must not wait until the part before it is acknowledged.
            (IPPROTO_TCP, TCP_NODELAY, 1), (Int(SOL_SOCKET), SO_KEEPALIVE, 1),
            (IPPROTO_TCP, TCP_KEEPIDLE, 20), (IPPROTO_TCP, TCP_KEEPINTVL, 5), (IPPROTO_TCP, TCP_KEEPCNT, 3),
        ]
        for (level, name, value) in options {
            var value = Int32(value)
            setsockopt(descriptor, Int32(level), name, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    private static func v4(_ text: String) -> sockaddr_in? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        return inet_pton(AF_INET, text, &address.sin_addr) == 1 ? address : nil
    }

    private static func v6(_ text: String) -> sockaddr_in6? {
        let halves = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        guard inet_pton(AF_INET6, String(halves[0]), &address.sin6_addr) == 1 else { return nil }
        // An interface that does not exist has no index; connecting then says that the address is no use.
        if halves.count == 2 { address.sin6_scope_id = UInt32(halves[1]) ?? if_nametoindex(String(halves[1])) }
        return address
    }
}
