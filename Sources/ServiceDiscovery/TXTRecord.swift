/// The bytes of a TXT record (RFC 6763, section 6): entries of `key=value` or `key`, each behind a byte that gives its
/// length.
struct TXTRecord: Equatable {
    struct Entry: Equatable {
        var key: String

        /// nil for a key without `=`, which is not the same as an empty value.
        var value: [UInt8]?
    }

    var entries: [Entry]

    init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// In the order of the keys, so that equal texts are equal bytes.
    init(_ text: [String: String]) {
        entries = text.sorted { $0.key < $1.key }.map { Entry(key: $0.key, value: Array($0.value.utf8)) }
    }

    /// What a network sent: never fails. Entries without a key are left out, as the RFC asks; one that claims more
    /// bytes than there are ends it.
    init(bytes: [UInt8]) {
        entries = []
        var rest = bytes[...]
        while let length = rest.popFirst().map(Int.init), length <= rest.count {
            let entry = rest.prefix(length)
            rest = rest.dropFirst(length)
            let key = entry.prefix { $0 != UInt8(ascii: "=") }
            guard !key.isEmpty else { continue }
            let value = key.count < entry.count ? Array(entry.dropFirst(key.count + 1)) : nil
            entries.append(Entry(key: String(decoding: key, as: UTF8.self), value: value))
        }
    }

    /// As DNS wants it: never empty, for a record without entries is one empty entry.
    func wire() throws(DiscoveryError) -> [UInt8] {
        var bytes: [UInt8] = []
        for entry in entries {
            let key = Array(entry.key.utf8)
            let sound = !key.isEmpty && key.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
            let body = entry.value.map { key + [UInt8(ascii: "=")] + $0 } ?? key
            guard sound, let length = UInt8(exactly: body.count) else { throw .badText(key: entry.key) }
            bytes.append(length)
            bytes += body
        }
        return bytes.isEmpty ? [0] : bytes
    }

    /// Keys in lower case. Of a key that comes twice the first counts (RFC 6763, section 6.4).
    var text: [String: String] {
        Dictionary(
            entries.map { ($0.key.lowercased(), String(decoding: $0.value ?? [], as: UTF8.self)) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
