import Lighting

/// One port of a host that may be a bridge, with TLS or without.
struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    let address: Bridge.Address
    let isPlain: Bool

    var description: String { "\(isPlain ? "http" : "https")://\(address)" }

    /// The URL's host has no zone of a link-local address, which means nothing to a server.
    func url(_ path: String) -> String {
        let host = address.host.prefix { $0 != "%" }
        return "\(isPlain ? "http" : "https")://\(Bridge.Address(host: String(host), port: address.port))\(path)"
    }
}

/// An address at which a bridge may be, and where we know it from: a hint until a bridge answers there.
struct Candidate: Hashable, Sendable {
    let way: Discovery.Way
    let address: Bridge.Address

    /// The endpoints to probe with TLS, the likeliest first. Emulators announce their plain HTTP port and have TLS at
    /// 443; but a configured port is meant as it is.
    var secure: [Endpoint] {
        [Endpoint(address: address, isPlain: false)]
            + (isFixed || address.port == 443 ? [] : [endpoint(443, isPlain: false)])
    }

    /// The endpoint without TLS in place of one with it: old bridges and deCONZ have no other.
    func plain(for endpoint: Endpoint) -> Endpoint {
        endpoint.address.port == 443
            ? self.endpoint(80, isPlain: true) : Endpoint(address: endpoint.address, isPlain: true)
    }

    /// An endpoint for people: one that only stands to reason is told from the one that is known.
    func words(for endpoint: Endpoint) -> String {
        endpoint.address == address ? "\(endpoint)" : "\(endpoint), a bridge's usual port"
    }

    private var isFixed: Bool { way == .configured }

    private func endpoint(_ port: Int, isPlain: Bool) -> Endpoint {
        Endpoint(address: Bridge.Address(host: address.host, port: port), isPlain: isPlain)
    }
}
