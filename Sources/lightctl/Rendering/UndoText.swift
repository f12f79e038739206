import ControlProtocol

/// What `undo` and `redo` came to, for people.
enum UndoText {
    /// "undid 'set @Kitchen to 40 %': 3 lights"
    static func line(_ did: String, _ reply: CommandReply) -> String {
        let commands = (reply.commands ?? []).map { "'\(printable($0))'" }.joined(separator: ", ")
        return "\(did) \(commands.isEmpty ? "it" : commands): \(counted(reply.lights?.count ?? 0, "light"))"
    }

    /// The lights that were left as they are, and why; `nil` where there are none.
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
