import ArgumentParser
import CommandGrammar
import ControlProtocol

/// `undo` or `redo`.
struct HistoryCommand<Which: HistoryVerb>: ParsableCommand {
    static var configuration: CommandConfiguration { Which.configuration }

    @OptionGroup var verb: Which
    @Flag(help: "On a terminal, do not ask before more than 10 commands.") var yes = false
    @OptionGroup var options: GlobalOptions

    func run() throws {
        var text = UndoText.Verb.undo
        if case .redo = verb.command { text = .redo }
        let session = try Session(options)
        if session.console.canAsk, !yes, !verb.delivery.dryRun, verb.arguments.count > UndoText.mostUnasked {
            let rehearsal = try session.client.send(
                [CommandRequest(verb.command, dryRun: true)], within: session.timeout(for: verb.delivery))[0].get()
            if let question = UndoText.question(text, rehearsal), try !session.console.ask(question) {
                throw ErrorReply(.cannot, "nothing was \(text.past)")
            }
        }
        try session.send(verb, text)
    }
}

extension Session {
    /// Sends an undo or redo, prints the result, and throws if lights were left as they are.
    fileprivate func send(_ verb: some HistoryVerb, _ text: UndoText.Verb) throws {
        let delivery = verb.delivery
        let request = CommandRequest(verb.command, wait: delivery.wait, dryRun: delivery.dryRun)
        let reply = try client.send([request], within: timeout(for: delivery))[0].get()
        let skipped = UndoText.skipped(reply, WallClock.local())
        do {
            if console.json {
                try console.printJSON(reply)
            } else if let requests = reply.requests {
                try show(dryRun: requests)
            } else {
                try console.confirm(UndoText.line(text, reply))
            }
        } catch is Console.ReaderGone where skipped != nil {
            // A closed pipe must not turn a partial failure into a success.
        }
        if !console.json, let fewer = UndoText.fewer(text, reply, than: verb.arguments.count) { console.note(fewer) }
        if let error = skipped ?? DryRunText.error(reply.failing ?? []) { throw error }
    }
}

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

        /// "nothing was …"
        var past: String {
            switch self {
            case .undo: "undone"
            case .redo: "redone"
            }
        }
    }

    /// How many commands a line names, the newest.
    private static let mostNamed = 5
    /// More commands than these are not taken back by a slip of the finger.
    static let mostUnasked = 10

    /// What a person is asked before many commands are taken back, or done again; `nil` if they are not many.
    static func question(_ verb: Verb, _ rehearsal: CommandReply) -> String? {
        guard let steps = rehearsal.steps, steps > mostUnasked else { return nil }
        return "\(verb.rawValue.prefix(1).uppercased() + verb.rawValue.dropFirst()) \(counted(steps, "command")), "
            + "\(verb == .undo ? "back" : "up") to '\(printable(rehearsal.commands?.last ?? ""))'?"
    }

    /// "undid 'set @Kitchen to 40%': 3 lights"; of many commands the newest are named.
    static func line(_ verb: Verb, _ reply: CommandReply) -> String {
        let all = reply.commands ?? []
        let named = all.prefix(all.count == mostNamed + 1 ? all.count : mostNamed).map { "'\(printable($0))'" }
        let rest = all.count - named.count
        let commands = named.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
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
