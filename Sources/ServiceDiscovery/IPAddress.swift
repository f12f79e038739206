import Glibc

/// An IP address from mDNS, in network byte order.
///
/// Addresses sort in the order in which to try them: global before link-local before loopback, and IPv4 before IPv6
/// within each.
public enum IPAddress: Hashable, Sendable {
    case v4(SIMD4<UInt8>)

    /// `scope` is the interface index of a link-local address, and 0 for every other address.
    case v6(SIMD16<UInt8>, scope: UInt32)

    /// Parses `192.0.2.1`, `2001:db8::1` or `fe80::1%2`. After the `%` stands an interface's index or name.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first else { return nil }
        let digits = String(first)
        var four = in_addr()
        var sixteen = in6_addr()
        if parts.count == 1, inet_pton(AF_INET, digits, &four) == 1 {
            self = .v4(withUnsafeBytes(of: four) { SIMD4(bytes: $0) })
        } else if inet_pton(AF_INET6, digits, &sixteen) == 1 {
            var scope: UInt32 = 0
            if parts.count == 2 {
                let zone = String(parts[1])
                scope = UInt32(zone) ?? if_nametoindex(zone)
                guard scope > 0 else { return nil }
            }
            let address = IPAddress.v6(withUnsafeBytes(of: sixteen) { SIMD16(bytes: $0) }, scope: scope)
            // A scope means nothing on other addresses, and would make two spellings of one address unequal.
            guard scope == 0 || address.isLinkLocal else { return nil }
            self = address
        } else {
            return nil
        }
    }

    /// The address in an A record (4 bytes) or AAAA record (16 bytes) received on `interface`; `nil` for any other
    /// length.
    init?(record: [UInt8], interface: UInt32) {
        switch record.count {
        case 4: self = .v4(record.withUnsafeBytes { SIMD4(bytes: $0) })
        case 16:
            let bytes = record.withUnsafeBytes { SIMD16<UInt8>(bytes: $0) }
            self = .v6(bytes, scope: 0)
            if isLinkLocal { self = .v6(bytes, scope: interface) }
        default: return nil
        }
    }

    /// `127.0.0.0/8` and `::1`.
    public var isLoopback: Bool {
        switch self {
        case let .v4(bytes): bytes[0] == 127
        case let .v6(bytes, _): bytes == SIMD16(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)
        }
    }

    /// `169.254.0.0/16` and `fe80::/10`.
    public var isLinkLocal: Bool {
        switch self {
        case let .v4(bytes): bytes[0] == 169 && bytes[1] == 254
        case let .v6(bytes, _): bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        }
    }

    /// 4 or 16 bytes.
    public var bytes: [UInt8] {
        switch self {
        case let .v4(bytes): bytes.indices.map { bytes[$0] }
        case let .v6(bytes, _): bytes.indices.map { bytes[$0] }
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// `192.0.2.1` or `2001:db8::1`. A link-local address carries its interface index, `fe80::1%2`, as getaddrinfo and
    /// libcurl expect.
    public var description: String {
        // 46 is INET6_ADDRSTRLEN, enough for both families.
        var text = [CChar](repeating: 0, count: 46)
        let family: Int32
        var zone = ""
        switch self {
        case .v4: family = AF_INET
        case let .v6(_, scope):
            family = AF_INET6
            if scope > 0 { zone = "%\(scope)" }
        }
        _ = inet_ntop(family, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) + zone
    }
}

extension IPAddress: Comparable {
    public static func < (one: IPAddress, other: IPAddress) -> Bool {
        if one.rank != other.rank { return one.rank < other.rank }
        if one.bytes != other.bytes { return one.bytes.lexicographicallyPrecedes(other.bytes) }
        return one.scope < other.scope
    }

    private var rank: Int {
        let reach = isLoopback ? 4 : isLinkLocal ? 2 : 0
        return if case .v4 = self { reach } else { reach + 1 }
    }

    private var scope: UInt32 {
        if case let .v6(_, scope) = self { scope } else { 0 }
    }
}

extension SIMD where Scalar == UInt8 {
    /// The first bytes of `bytes`, which holds at least as many.
    fileprivate init(bytes: UnsafeRawBufferPointer) {
        self.init()
        for index in indices { self[index] = bytes[index] }
    }
}
