/// The body of `POST /v1/messages`: a command, and whether the answer waits for its confirmation.
///
///     {"command":"turn","to":"off","target":"all","wait":true}
public struct CommandRequest: Equatable, Sendable {
    public var command: Command
    /// Answer only when the bridges have confirmed what the command asked for, or have not confirmed it in time. Only
    /// commands that change what lights show take it.
    public var wait: Bool

    /// Waiting for confirmation delays an answer by at most this much.
    public static let longestWait = Duration.seconds(10)

    public init(_ command: Command, wait: Bool = false) {
        self.command = command
        self.wait = wait
    }

    /// - Throws: `invalid` for a number out of its range, and for a wait on a command that nothing confirms.
    public func validate() throws(ErrorReply) {
        guard let description = command.description else { return }
        try description.check(command)
        guard !wait || description.isConfirmable else {
            throw ErrorReply(.invalid, "'\(description.verb)' has no field 'wait': nothing confirms it")
        }
    }
}

extension CommandRequest: Codable {
    private static let wait = CommandKey("wait")

    public init(from decoder: any Decoder) throws {
        // Refuses every field that the verb does not take, and `wait` is one of them.
        command = try Command(from: decoder)
        let container = try decoder.container(keyedBy: CommandKey.self)
        wait = try container.decodeIfPresent(Bool.self, forKey: Self.wait) ?? false
    }

    public func encode(to encoder: any Encoder) throws {
        try command.encode(to: encoder)
        guard wait else { return }
        var container = encoder.container(keyedBy: CommandKey.self)
        try container.encode(true, forKey: Self.wait)
    }
}
