/// The body of `POST /v1/messages`: a command, and whether the answer waits for its confirmation.
///
///     {"command":"turn","to":"off","target":"all","wait":true}
public struct CommandRequest: Equatable, Sendable {
    public var command: Command
    /// Answer only when the bridges have confirmed what the command asked for, or have not confirmed it in time. Only
    /// commands that change what lights show take it.
    public var wait: Bool
    /// Send nothing, and answer with the requests that would go to the bridges now. Only commands that write to bridges
    /// take it; nothing is waited for.
    public var dryRun: Bool

    /// Waiting for confirmation delays an answer by at most this much.
    public static let longestWait = Duration.seconds(10)

    public init(_ command: Command, wait: Bool = false, dryRun: Bool = false) {
        self.command = command
        self.wait = wait
        self.dryRun = dryRun
    }

    /// - Throws: `invalid` for a number out of its range, for a wait on a command that nothing confirms, and for a dry
    ///   run of one that writes nothing.
    public func validate() throws(ErrorReply) {
        guard let description = command.description else { return }
        try description.check(command)
        guard !wait || description.effect == .confirmed else {
            throw ErrorReply(.invalid, "'\(description.verb)' has no field 'wait': nothing confirms it")
        }
        guard !dryRun || description.effect != .none else {
            throw ErrorReply(.invalid, "'\(description.verb)' has no field 'dry_run': it sends nothing to lights")
        }
    }
}

extension CommandRequest: Codable {
    private static let wait = CommandKey("wait")
    private static let dryRun = CommandKey("dry_run")

    public init(from decoder: any Decoder) throws {
        // Refuses every field that the verb does not take, and these are two of them.
        command = try Command(from: decoder)
        let container = try decoder.container(keyedBy: CommandKey.self)
        wait = try container.decodeIfPresent(Bool.self, forKey: Self.wait) ?? false
        dryRun = try container.decodeIfPresent(Bool.self, forKey: Self.dryRun) ?? false
    }

    public func encode(to encoder: any Encoder) throws {
        try command.encode(to: encoder)
        var container = encoder.container(keyedBy: CommandKey.self)
        if wait { try container.encode(true, forKey: Self.wait) }
        if dryRun { try container.encode(true, forKey: Self.dryRun) }
    }
}
