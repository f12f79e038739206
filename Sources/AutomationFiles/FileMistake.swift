/// What is wrong in a file, and where.
public struct FileMistake: Error, Equatable, Sendable {
    /// Both counted from 1.
    public let line: Int
    public let column: Int
    /// What was found, and what was expected.
    public let message: String

    public init(line: Int, column: Int, _ message: String) {
        (self.line, self.column, self.message) = (line, column, message)
    }
}

extension FileMistake: CustomStringConvertible {
    /// "3:11: unknown key 'wen'; did you mean 'when'?"
    public var description: String { "\(line):\(column): \(message)" }
}

/// Everything that is wrong in a file, in the order of its places.
public struct FileMistakes: Error, Equatable, Sendable {
    public let mistakes: [FileMistake]
}
