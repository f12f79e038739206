import Lighting

/// One way into a host that may be a bridge: a port, with TLS or without.
struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    let address: Bridge.Address
    let isPlain: Bool

    var description: String { "\(isPlain ? "http" : "https")://\(address)" }

    /// The URL's host is without the zone of a link-local address, which is no name to tell a server.
    func url(_ path: String) -> String {
        let host = address.host.prefix { $0 != "%" }
        return "\(isPlain ? "http" : "https")://\(Bridge.Address(host: String(host), port: address.port))\(path)"
    }
}

/// Where a bridge may be, and who says so: no more than a hint until somebody answers there.
struct Candidate: Hashable, Sendable {
    let way: Discovery.Way
    let address: Bridge.Address

    /// The doors to knock at with TLS, the likeliest first. Emulators announce the port of their plain HTTP, with TLS at 443 beside it;
    /// but whoever names a port in the configuration means that port.
    var secure: [Endpoint] {
        [Endpoint(address: address, isPlain: false)]
            + (isFixed || address.port == 443 ? [] : [endpoint(443, isPlain: false)])
    }

    /// The door without TLS that stands for one with it: old bridges and deCONZ have no other.
    func plain(for endpoint: Endpoint) -> Endpoint {
        endpoint.address.port == 443
            ? self.endpoint(80, isPlain: true) : Endpoint(address: endpoint.address, isPlain: true)
    }

    private var isFixed: Bool { way == .configured }

    private func endpoint(_ port: Int, isPlain: Bool) -> Endpoint {
        Endpoint(address: Bridge.Address(host: address.host, port: port), isPlain: isPlain)
    }
}
