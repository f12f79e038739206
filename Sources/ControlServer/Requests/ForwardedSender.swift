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

    init(of head: HTTPRequest, from peer: ClientAddress?, proxies: [AddressRange]) {
        func isProxy(_ address: ClientAddress) -> Bool { proxies.contains { $0.contains(address) } }
        guard let peer, isProxy(peer) else {
            (address, hosts, scheme) = (peer, [], nil)
            return
        }
        // Each proxy appends the address from which it got the request: the last one that is not a proxy of ours is
        // the client. What stands before may come from the client itself.
        var client = peer
        for text in Self.values("X-Forwarded-For", of: head).reversed() {
            guard let address = ClientAddress(text) else { break }
            client = address
            guard isProxy(address) else { break }
        }
        address = client
        hosts = Self.values("X-Forwarded-Host", of: head)
        scheme = Self.values("X-Forwarded-Proto", of: head).last?.lowercased()
    }

    private static func values(_ name: String, of head: HTTPRequest) -> [String] {
        guard let name = HTTPField.Name(name) else { return [] }
        return head.headerFields[values: name].flatMap { $0.split(separator: ",") }
            .map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
    }
}
