import Glibc

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
