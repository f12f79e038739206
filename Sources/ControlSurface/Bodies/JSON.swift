public import FoundationEssentials

/// JSON as surfaces write it: keys sorted, so that equal bodies are equal texts, and slashes unescaped, because ids
/// contain them.
public enum JSON {
    public static func data(_ body: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(body)
    }

    /// One line.
    public static func text(_ body: some Encodable) throws -> String {
        String(decoding: try data(body), as: UTF8.self)
    }
}
