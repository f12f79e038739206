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
