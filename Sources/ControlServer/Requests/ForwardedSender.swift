import HTTPTypes

/// Who sent a request: the other end of its connection or, if that is a reverse proxy of the configuration, whom the
/// proxy names in `X-Forwarded-For`, `-Host` and `-Proto`. Anybody else may write there what they like.
struct ForwardedSender: Equatable {
    /// `nil` if unknown.
    let address: ClientAddress?
    /// The names by which it addressed the proxies.
    let hosts: [String]
    /// "http" or "https", if a proxy says so.
    let scheme: String?

    /// `nil` if a proxy names a sender that is not an address: it would be anybody, or the proxy itself, and whoever makes
    /// a proxy say so would share the fate of all its clients.
    init?(of head: HTTPRequest, from peer: ClientAddress?, proxies: [AddressRange]) {
        func isProxy(_ address: ClientAddress) -> Bool { proxies.contains { $0.contains(address) } }
        guard let peer, isProxy(peer) else {
            (address, hosts, scheme) = (peer, [], nil)
            return
        }
        // Each proxy appends the address from which it got the request: the last one that is not a proxy of ours is
        // the client. What stands before may come from the client itself.
        var client = peer
        for text in Self.values("X-Forwarded-For", of: head).reversed() {
            guard let address = ClientAddress(text) else { return nil }
            client = address
            guard isProxy(address) else { break }
        }
        address = client
        hosts = Self.values("X-Forwarded-Host", of: head).map { String($0) }
        scheme = Self.values("X-Forwarded-Proto", of: head).last?.lowercased()
    }

    private static func values(_ name: String, of head: HTTPRequest) -> [Substring] {
        guard let name = HTTPField.Name(name) else { return [] }
        return head.headerFields[values: name].flatMap { $0.elements() }
    }
}
