import HTTPTypes

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An IP address, equal to every other spelling of it: "::ffff:192.0.2.7" is "192.0.2.7".
struct ClientAddress: Hashable {
    /// Four or sixteen.
    private let bytes: [UInt8]

    /// - Parameter text: an address without a port; brackets and a zone are ignored.
    init?(_ text: some StringProtocol) {
        // In ASCII every byte is a Character. inet_pton() would stop at a NUL, and take what stands before it.
        guard text.isVisibleASCII else { return nil }
        let inner = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text[...]
        // Only an address of IPv6 has a zone.
        let address = inner.contains(":") ? String(inner.prefix { $0 != "%" }) : String(inner)
        var (short, long) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, address, &short) == 1 {
            bytes = withUnsafeBytes(of: short) { Array($0) }
        } else if inet_pton(AF_INET6, address, &long) == 1 {
            let all = withUnsafeBytes(of: long) { Array($0) }
            bytes = all.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] ? Array(all.suffix(4)) : all
        } else {
            return nil
        }
    }

    var isLoopback: Bool { bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1] }

    /// How many it has: 32 or 128.
    var bits: Int { 8 * bytes.count }

    /// Whether so many bits of both, counted from the first, are the same.
    func begins(like other: Self, bits: Int) -> Bool {
        bytes.count == other.bytes.count
            && zip(bytes, other.bytes).enumerated().allSatisfy { place, pair in
                let ignored = min(max(8 * (place + 1) - bits, 0), 8)
                return (pair.0 ^ pair.1) >> ignored == 0
            }
    }

    /// Without what one client can vary at will: of IPv6, the last 64 bits (RFC 8981).
    var network: [UInt8] { bytes.count == 4 ? bytes : Array(bytes.prefix(8)) }
}

extension ClientAddress: CustomStringConvertible {
    var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// An IP address, or all addresses that begin with the same bits: "192.0.2.7", "10.0.0.0/8", "fd00::/8".
public struct AddressRange: Hashable, Sendable {
    private let first: ClientAddress
    /// How many of its bits count.
    private let bits: Int

    /// - Parameter text: an address or, after a slash, also how many of its bits count. The bits after them are ignored.
    public init?(_ text: String) {
        // Of what is not ASCII nothing is an address, and in ASCII every byte is a Character.
        guard text.isVisibleASCII else { return nil }
        let halves = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = halves.first, let first = ClientAddress(address) else { return nil }
        self.first = first
        guard halves.count > 1 else {
            bits = first.bits
            return
        }
        // "::ffff:192.0.2.0/120" is "192.0.2.0/24".
        let written = address.contains(":") ? 128 : 32
        // Int also accepts "+8".
        guard halves[1].allSatisfy({ ("0"..."9").contains($0) }), let given = Int(halves[1]), given <= written,
            case let bits = given - (written - first.bits), bits >= 0
        else { return nil }
        self.bits = bits
    }

    /// "0.0.0.0/0" or "::/0".
    public var isEverybody: Bool { bits == 0 }

    func contains(_ address: ClientAddress) -> Bool { address.begins(like: first, bits: bits) }
}

extension AddressRange: CustomStringConvertible {
    public var description: String { bits == first.bits ? "\(first)" : "\(first)/\(bits)" }
}

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
