import Glibc

/// The address and port on which a bridge listens for HTTPS.
public struct ListenAddress: Equatable, Sendable, CustomStringConvertible {
    /// `nil` stands for the present one.
    public let host: String?
    /// 0 chooses a free one.
    public let port: Int

    public init(host: String? = nil, port: Int = 0) {
        self.host = host
        self.port = port
    }

    /// Reads "8443", "127.0.0.2", "127.0.0.2:8443" and "[::1]:8443".
    init?(_ text: String) {
        if let port = Int(text) {
            guard (0...65535).contains(port) else { return nil }
            self.init(port: port)
        } else if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":"), let port = rest.isEmpty ? 0 : Int(rest.dropFirst()),
                (0...65535).contains(port)
            else { return nil }
            self.init(host: String(text[text.index(after: text.startIndex)..<end]), port: port)
        } else {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            // More than one colon: an IPv6 address without brackets.
            guard parts.count == 2 else {
                guard !text.isEmpty, !text.contains("[") else { return nil }
                self.init(host: text)
                return
            }
            guard !parts[0].isEmpty, let port = Int(parts[1]), (0...65535).contains(port) else { return nil }
            self.init(host: String(parts[0]), port: port)
        }
    }

    public var description: String {
        guard let host else { return "\(port)" }
        return "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

extension ListenAddress {
    /// Whether this machine has the address, "localhost" or an IP address.
    static func isLocal(_ host: String) -> Bool { canListen(host, 0) }

    /// Whether a server could listen there now. Finds out by listening for a moment.
    ///
    /// - Parameters:
    ///   - host: an IP address or "localhost". Other names are not resolved, because that can take seconds.
    ///   - port: 0 stands for any.
    static func canListen(_ host: String, _ port: Int) -> Bool {
        var hints = addrinfo()
        hints.ai_flags = host == "localhost" ? 0 : AI_NUMERICHOST
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let address = found else { return false }
        defer { freeaddrinfo(address) }
        let descriptor = socket(
            address.pointee.ai_family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // As the servers do: a port whose connections have just been closed is free.
        var yes: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        return bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 && listen(descriptor, 1) == 0
    }
}
