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
