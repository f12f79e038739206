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
    /// Names the gesture that this command is a part of, such as a drag across a slider: one client's commands with the
    /// same name in a row are undone in one step, but for scenes. Only commands that change what lights show take it.
    public var gesture: String?

    /// A gesture's name has at most this many Unicode scalars.
    public static let longestGesture = 64

    /// Waiting for confirmation delays an answer by at most this much.
    public static let longestWait = Duration.seconds(10)

    public init(_ command: Command, wait: Bool = false, dryRun: Bool = false, gesture: String? = nil) {
        self.command = command
        self.wait = wait
        self.dryRun = dryRun
        self.gesture = gesture
    }

    /// - Throws: `invalid` for a number out of its range, for a wait on a command that nothing confirms, for a dry run
    ///   of one that writes nothing, and for a gesture that is too long or of a command that changes no light.
    public func validate() throws(ErrorReply) {
        guard let description = command.description else { return }
        try description.check(command)
        guard !wait || description.effect == .confirmed else {
            throw ErrorReply(.invalid, "'\(description.verb)' has no field 'wait': nothing confirms it")
        }
        guard !dryRun || description.effect != .none else {
            throw ErrorReply(.invalid, "'\(description.verb)' has no field 'dry_run': it sends nothing to lights")
        }
        guard let gesture else { return }
        guard description.effect == .confirmed else {
            throw ErrorReply(.invalid, "'\(description.verb)' has no field 'gesture': it changes no light")
        }
        guard gesture.unicodeScalars.count <= Self.longestGesture else {
            throw ErrorReply(
                .invalid, "'gesture' has \(gesture.unicodeScalars.count) characters: use at most \(Self.longestGesture)"
            )
        }
    }
}

extension CommandRequest: Codable {
    private static let wait = CommandKey("wait")
    private static let dryRun = CommandKey("dry_run")
    private static let gesture = CommandKey("gesture")

    public init(from decoder: any Decoder) throws {
        // Refuses every field that the verb does not take, and these are three of them.
        command = try Command(from: decoder)
        let container = try decoder.container(keyedBy: CommandKey.self)
        wait = try container.decodeIfPresent(Bool.self, forKey: Self.wait) ?? false
        dryRun = try container.decodeIfPresent(Bool.self, forKey: Self.dryRun) ?? false
        gesture = try container.decodeIfPresent(String.self, forKey: Self.gesture)
    }

    public func encode(to encoder: any Encoder) throws {
        try command.encode(to: encoder)
        var container = encoder.container(keyedBy: CommandKey.self)
        if wait { try container.encode(true, forKey: Self.wait) }
        if dryRun { try container.encode(true, forKey: Self.dryRun) }
        try container.encodeIfPresent(gesture, forKey: Self.gesture)
    }
}
