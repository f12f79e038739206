/// The id of a bridge in one form: 16 hex digits, lower case, MAC with `fffe` in its middle.
///
/// Bridges write it in upper and lower case, HomeKit with colons, some clients as the bare MAC
/// (aiohue, `normalize_bridge_id`); all forms name the same bridge.
public enum BridgeID {
    public static func normalized(_ text: String) -> String {
        let separators = Array(" \t\r\n:-".utf8)
        let digits = String(decoding: text.utf8.filter { !separators.contains($0) }, as: UTF8.self).lowercased()
        // Text that merely contains such digits is not an id: two names must not become one bridge.
        guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return text.lowercased() }
        guard digits.count == 12 else { return digits.count == 16 ? digits : text.lowercased() }
        return digits.prefix(6) + "fffe" + digits.suffix(6)
    }

    /// "ecb5fafffe010203" for "ec:b5:fa:01:02:03".
    public static func of(mac: String) -> String { normalized(mac) }

    /// "ec:b5:fa:01:02:03" for "ecb5fafffe010203".
    public static func mac(of id: String) -> String {
        let digits = Array(normalized(id))
        guard digits.count == 16 else { return id }
        let mac = digits[..<6] + digits[10...]
        return stride(from: mac.startIndex, to: mac.endIndex, by: 2).map { String(mac[$0..<($0 + 2)]) }.joined(
            separator: ":")
    }
}
