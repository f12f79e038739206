/// A TXT record (RFC 6763, section 6): entries `key=value` or `key`, each preceded by its length in one byte.
struct TXTRecord: Equatable {
    struct Entry: Equatable {
        var key: String

        /// `nil` for a key without `=`, which differs from an empty value.
        var value: [UInt8]?
    }

    var entries: [Entry]

    init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// Sorted by key, so that equal texts have equal bytes.
    init(_ text: [String: String]) {
        entries = text.sorted { $0.key < $1.key }.map { Entry(key: $0.key, value: Array($0.value.utf8)) }
    }

    /// Parses bytes from the network and never fails. Skips entries without a key, as the RFC requires, and ends at an
    /// entry that is longer than the rest.
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

    /// The record in wire format. Never empty: a record without entries consists of one empty entry.
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

    /// Keys in lower case. The first of several equal keys counts (RFC 6763, section 6.4).
    var text: [String: String] {
        Dictionary(
            entries.map { ($0.key.lowercased(), String(decoding: $0.value ?? [], as: UTF8.self)) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
