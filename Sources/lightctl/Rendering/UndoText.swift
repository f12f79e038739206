import ControlProtocol

/// The output of `undo` and `redo`.
enum UndoText {
    /// "undid 'set @Kitchen to 40 %': 3 lights"
    static func line(_ verb: String, _ reply: CommandReply) -> String {
        let commands = (reply.commands ?? []).map { "'\(printable($0))'" }.joined(separator: ", ")
        return "\(verb) \(commands.isEmpty ? "it" : commands): \(counted(reply.lights?.count ?? 0, "light"))"
    }

    /// "undid 3 commands; there were no more": `nil` if there were as many as asked for.
    static func fewer(_ verb: String, _ reply: CommandReply, than count: Int) -> String? {
        guard let steps = reply.steps, steps < count else { return nil }
        return "\(verb) \(counted(steps, "command")); there were no more"
    }

    /// The error that names the lights left as they are, and why; `nil` if there are none.
    static func skipped(_ reply: CommandReply, _ clock: WallClock) -> ErrorReply? {
        guard let skipped = reply.skipped, !skipped.isEmpty else { return nil }
        return ErrorReply(
            .partly,
            "\(counted(skipped.count, "light")) \(skipped.count == 1 ? "was left as it is" : "were left as they are")",
            parts: skipped.map {
                .init(
                    target: $0.name, code: .changedSince, message: "\($0.reason) at \(clock.when($0.cause.at))")
            })
    }
}
