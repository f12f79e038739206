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
