import HTTPTypes

/// Who sent a request: the other end of its connection or, if that is a reverse proxy of the configuration, whom the
/// proxy names in `X-Forwarded-For`, `-Host` and `-Proto`. Anybody else may write there what they like.
struct ForwardedSender: Equatable {
    /// `nil` if unknown.
    let address: ClientAddress?
    /// All names by which proxies say they were addressed, and the one that the client itself addressed.
    let hosts: [String]
    let host: String?
    /// "http" or "https", by which the client came; `nil` if neither the connection nor a proxy says so.
    let scheme: String?

    /// `nil` if a proxy names a sender that is not an address: it would be anybody, or the proxy itself, and whoever makes
    /// a proxy say so would share the fate of all its clients.
    ///
    /// - Parameter scheme: of the connection, if that is known to be the peer's own word.
    init?(of head: HTTPRequest, from peer: ClientAddress?, over scheme: String? = nil, proxies: [AddressRange]) {
        func isProxy(_ address: ClientAddress) -> Bool { proxies.contains { $0.contains(address) } }
        guard let peer, isProxy(peer) else {
            (address, hosts, host, self.scheme) = (peer, [], nil, scheme)
            return
        }
        // Each proxy appends the address from which it got the request: the last one that is not a proxy of ours is
        // the client. What stands before may come from the client itself.
        var client = peer
        // How many proxies of ours the request came through.
        var hops = 0
        for text in Self.values("X-Forwarded-For", of: head).reversed() {
            guard let address = ClientAddress(text) else { return nil }
            hops += 1
            client = address
            guard isProxy(address) else { break }
        }
        address = client
        hosts = Self.values("X-Forwarded-Host", of: head).map { String($0) }
        host = Self.said(hosts, atHop: hops)
        self.scheme = Self.said(Self.values("X-Forwarded-Proto", of: head).map { String($0) }, atHop: hops)
            .map { $0.lowercased() }.flatMap { ["http", "https"].contains($0) ? $0 : nil }
    }

    /// What the proxy nearest to the client says: of proxies that append, as many values as there are of ours are
    /// theirs, and those before may come from the client itself. Proxies that replace what they get leave one value.
    private static func said(_ values: [String], atHop hops: Int) -> String? { values.suffix(max(hops, 1)).first }

    private static func values(_ name: String, of head: HTTPRequest) -> [Substring] {
        guard let name = HTTPField.Name(name) else { return [] }
        return head.headerFields[values: name].flatMap { $0.elements() }
    }
}
