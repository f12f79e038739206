import ArgumentParser
import ControlProtocol

/// The arguments of `undo` and `redo`.
struct UndoArguments: ParsableArguments {
    @Argument(help: "How many commands.") var count = 1
    @OptionGroup var commandOptions: CommandOptions

    func validate() throws {
        guard count >= 1 else { throw ValidationError("the number of commands must be at least 1, not \(count)") }
    }
}

struct UndoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Undo the latest commands.",
        discussion: """
            Restores the lights of the latest command, or of the latest COUNT commands, whoever sent them to lightd. \
            Dragging a slider counts as one command. A light that was changed in another way since then is left as it \
            is and named on standard error; the exit code is then 7. It is 1 if there is nothing to undo. lightd still \
            knows the latest commands after it was restarted.

            Examples:
              lightctl undo
              lightctl undo 3 --over 1s
            """
    )

    @OptionGroup var arguments: UndoArguments
    @OptionGroup var options: GlobalOptions

    func run() throws {
        try Session(options).sendHistoryCommand(arguments, .undo) { .undo(steps: $0, over: $1) }
    }
}

struct RedoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo",
        abstract: "Redo what was undone.",
        discussion: """
            Possible until the next command. As with 'undo', lights changed in another way since then are left as \
            they are.

            Examples:
              lightctl redo
              lightctl redo 3 --wait
            """
    )

    @OptionGroup var arguments: UndoArguments
    @OptionGroup var options: GlobalOptions

    func run() throws {
        try Session(options).sendHistoryCommand(arguments, .redo) { .redo(steps: $0, over: $1) }
    }
}

extension Session {
    /// Sends an undo or redo, prints the result, and throws if lights were left as they are.
    fileprivate func sendHistoryCommand(
        _ arguments: UndoArguments, _ verb: UndoText.Verb, _ command: (Int, Int?) -> Command
    ) throws {
        let commandOptions = arguments.commandOptions
        let request = CommandRequest(
            command(arguments.count, commandOptions.over?.milliseconds), wait: commandOptions.wait,
            dryRun: commandOptions.dryRun)
        let reply = try client.send([request], within: timeout(for: commandOptions))[0].get()
        let skipped = UndoText.skipped(reply, WallClock.local())
        do {
            if console.json {
                try console.printJSON(reply)
            } else if let requests = reply.requests {
                try show(dryRun: requests)
            } else {
                try console.confirm(UndoText.line(verb, reply))
            }
        } catch is Console.ReaderGone where skipped != nil {
            // A closed pipe must not turn a partial failure into a success.
        }
        if !console.json, let fewer = UndoText.fewer(verb, reply, than: arguments.count) { console.note(fewer) }
        if let error = skipped ?? DryRunText.error(reply.failing ?? []) { throw error }
    }
}
