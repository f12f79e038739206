import ControlProtocol

/// The output of `undo` and `redo`.
enum UndoText {
    enum Verb: String {
        case undo, redo

        var done: String {
            switch self {
            case .undo: "undid"
            case .redo: "redid"
            }
        }
    }

    /// "undid 'set @Kitchen to 40%': 3 lights"
    static func line(_ verb: Verb, _ reply: CommandReply) -> String {
        let commands = (reply.commands ?? []).map { "'\(printable($0))'" }.joined(separator: ", ")
        return "\(verb.done) \(commands.isEmpty ? "it" : commands): \(counted(reply.lights?.count ?? 0, "light"))"
    }

    /// "undid 3 commands; there were no more", after a dry run "would undo 3 commands; there are no more": `nil` if there
    /// are as many as asked for.
    static func fewer(_ verb: Verb, _ reply: CommandReply, than count: Int) -> String? {
        guard let steps = reply.steps, steps < count else { return nil }
        let commands = counted(steps, "command")
        return reply.requests == nil
            ? "\(verb.done) \(commands); there were no more" : "would \(verb.rawValue) \(commands); there are no more"
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
