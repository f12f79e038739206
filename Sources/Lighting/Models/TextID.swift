/// An id that is one text, as which it is also encoded and sorted.
public protocol TextID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    init(_ text: String)
}

extension TextID {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    public static func < (one: Self, other: Self) -> Bool { one.description < other.description }
}
