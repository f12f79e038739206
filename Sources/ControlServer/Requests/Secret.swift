import Crypto
import FoundationEssentials

/// What is known only to those who were told: the 256 random bits of a token or a link. Only their digests are kept.
enum Secret {
    private static let prefix = "lightd_"

    static func token() -> String { prefix + random().hexadecimal }

    /// Shorter than a token, because it is shown as a QR code.
    static func link() -> String {
        Data(random()).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" }
    }

    /// SHA-256, in hexadecimal.
    static func digest(of secret: String) -> String {
        SHA256.hash(data: Array(secret.utf8)).hexadecimal
    }

    /// Compares in constant time: the time does not reveal how much of it is right.
    static func equal(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func random() -> [UInt8] { SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) } }
}

extension Sequence<UInt8> {
    /// Two digits for each byte, in lower case.
    var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
