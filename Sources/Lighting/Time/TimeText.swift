/// A value with a text form, in which it is also encoded.
public protocol TextCodable: Codable, CustomStringConvertible {
    /// Reads the whole text. Case and spaces do not matter.
    init(_ text: String) throws(TimeTextError)
}

/// A time, or what consists of times.
public protocol TimeText: TextCodable {
    /// Reads it from where the reader stands, and leaves the reader behind it.
    init(from reader: inout TimeReader) throws(TimeTextError)
}

/// Why a text was not understood.
public struct TimeTextError: Error, Equatable, Sendable, CustomStringConvertible {
    /// "a time such as 06:45"
    public let expected: String
    /// How many characters are before the one at which it was expected.
    public let offset: Int

    public init(expected: String, offset: Int) {
        self.expected = expected
        self.offset = offset
    }

    public var description: String { "expected \(expected) at character \(offset + 1)" }
}

extension TimeText {
    public init(_ text: String) throws(TimeTextError) {
        var reader = TimeReader(text)
        try self.init(from: &reader)
        try reader.end()
    }
}

extension TextCodable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)': \(error)")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
