/// What a bridge said, for people: in the names of the home instead of its ids.
public struct BridgeWords: Hashable, Sendable {
    public let text: String
    /// The bridge's own text, if it differs.
    public let raw: String?

    public init(_ text: String, raw: String? = nil) {
        self.text = text
        self.raw = raw == text ? nil : raw
    }
}

extension BridgeWords: CustomStringConvertible {
    public var description: String { text }
}

extension BridgeWords: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) { self.init(text) }
}

extension BridgeWords: Codable {
    private enum CodingKeys: String, CodingKey { case text, raw }

    /// Also reads a plain string, which is what a journal from before this type has.
    public init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self.init(text)
        } else {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                try container.decode(String.self, forKey: .text),
                raw: try container.decodeIfPresent(String.self, forKey: .raw))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        guard let raw else {
            var container = encoder.singleValueContainer()
            return try container.encode(text)
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text, forKey: .text)
        try container.encode(raw, forKey: .raw)
    }
}
