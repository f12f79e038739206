/// A command, and when it is to be answered: the whole body of `POST /v1/messages`.
///
///     {"command":"turn","to":"off","target":"all","wait":true}
public struct CommandRequest: Equatable, Sendable {
    public var command: Command
    /// Answer only when the bridges have confirmed what the command asked for, or it was not confirmed in time. Known to the
    /// commands that change what lights show; refused with any other.
    public var wait: Bool

    /// An answer that waits for confirmation comes at most so much later than it would come otherwise.
    public static let longestWait = Duration.seconds(10)

    public init(_ command: Command, wait: Bool = false) {
        self.command = command
        self.wait = wait
    }
}

extension CommandRequest: Codable {
    private enum Field: String, CodingKey { case wait }

    public init(from decoder: any Decoder) throws {
        // Refuses every field that the verb does not know, this one among them.
        command = try Command(from: decoder)
        wait = try decoder.container(keyedBy: Field.self).decodeIfPresent(Bool.self, forKey: .wait) ?? false
    }

    public func encode(to encoder: any Encoder) throws {
        try command.encode(to: encoder)
        guard wait else { return }
        var fields = encoder.container(keyedBy: Field.self)
        try fields.encode(true, forKey: .wait)
    }
}
