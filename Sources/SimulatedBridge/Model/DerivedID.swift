import Crypto
import FoundationEssentials
import HueWire

/// Derives ids from names, equal in every process for the same names and seed. Swift's own hasher has another seed in
/// each process.
struct DerivedID: Sendable {
    let seed: UInt64

    func uuid(_ kind: String, _ name: String) -> ResourceID {
        var bytes = Array(digest(kind, name).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hex = Self.hex(bytes)
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
            String(hex.dropFirst(range.lowerBound).prefix(range.count))
        }
        return ResourceID(parts.joined(separator: "-"))
    }

    /// The second half of a bridge's id: three bytes.
    var bridge: String { Self.hex(Array(digest("bridge", "").prefix(3))) }

    /// A Zigbee address.
    func zigbee(_ name: String) -> String {
        "00:17:88:01:" + digest("zigbee", name).prefix(4).map { Self.hex([$0]) }.joined(separator: ":")
    }

    /// 40 characters of a key's alphabet.
    func key(_ devicetype: String, _ number: Int) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-")
        let bytes = digest("key", "\(devicetype)|\(number)|1") + digest("key", "\(devicetype)|\(number)|2")
        return String(bytes.prefix(40).map { alphabet[Int($0) % alphabet.count] })
    }

    func clientKey(_ devicetype: String, _ number: Int) -> String {
        Self.hex(Array(digest("clientkey", "\(devicetype)|\(number)").prefix(16))).uppercased()
    }

    /// 32 bytes for the certificate's private key. Each certificate has its own number.
    func certificateSeed(_ number: Int) -> [UInt8] { digest("certificate", "\(number)") }

    private func digest(_ kind: String, _ name: String) -> [UInt8] {
        Array(SHA256.hash(data: Data("\(seed)|\(kind)|\(name)".utf8)))
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
