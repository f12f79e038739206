import FoundationEssentials

/// JSON as the API writes it: keys sorted, so that equal answers are equal texts, and slashes left alone, for ids have them.
enum JSON {
    static func data(_ body: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(body)
    }

    /// One line.
    static func text(_ body: some Encodable) throws -> String {
        String(decoding: try data(body), as: UTF8.self)
    }
}
