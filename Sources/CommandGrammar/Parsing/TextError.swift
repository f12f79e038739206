/// What is wrong with a text that a person wrote, and where.
public struct TextError: Error, Equatable, Sendable {
    /// What was found, and what was expected: "unknown command 'tun'; did you mean 'turn'?"
    public var message: String
    /// How many characters stand before the place.
    public var offset: Int

    public init(_ message: String, at offset: Int) {
        (self.message, self.offset) = (message, offset)
    }
}

extension TextError: CustomStringConvertible {
    /// "at character 6: …", counted from 1.
    public var description: String { "at character \(offset + 1): \(message)" }
}
