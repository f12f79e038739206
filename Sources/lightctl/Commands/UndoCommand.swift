import ArgumentParser
import ControlProtocol

/// What `undo` and `redo` both take.
struct UndoArguments: ParsableArguments {
    @Argument(help: "How many commands.") var count = 1
    @OptionGroup var commandOptions: CommandOptions

    func validate() throws {
        guard count >= 1 else { throw ValidationError("at least one command is taken, not \(count)") }
    }
}

struct UndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Take the newest commands back.",
        discussion: """
            Lights return to what they were before: those of the newest command, whoever gave it to lightd, or of the newest \
            COUNT. A slider that was dragged is one command. A light that somebody else has changed since is left as it is, \
            and told on standard error; the exit code is then 7, and 1 where there is nothing to undo.

            Examples:
              lightctl undo
              lightctl undo 3 --over 1s
            """
    )

    @OptionGroup var arguments: UndoArguments
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await Session(options).reverse(arguments, "undid") { .undo(steps: $0, over: $1) }
    }
}

struct RedoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo",
        abstract: "Do again what was undone.",
        discussion: """
            Until another command is given. Lights that somebody else has changed since are left as they are, as with 'undo'.

            Examples:
              lightctl redo
              lightctl redo 3 --wait
            """
    )

    @OptionGroup var arguments: UndoArguments
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await Session(options).reverse(arguments, "redid") { .redo(steps: $0, over: $1) }
    }
}

extension Session {
    /// Goes back or forth, tells what came of it, and fails where lights were left as they are.
    fileprivate func reverse(_ arguments: UndoArguments, _ did: String, _ command: (Int, Int?) -> Command) async throws
    {
        let commandOptions = arguments.commandOptions
        let reply = try await client.send(
            command(arguments.count, commandOptions.over?.milliseconds), wait: commandOptions.wait,
            within: timeout(for: commandOptions))
        let skipped = UndoText.skipped(reply, WallClock.local())
        do {
            if console.json { try console.printJSON(reply) } else { try console.confirm(UndoText.line(did, reply)) }
        } catch is Console.ReaderGone where skipped != nil {
            // A reader that has gone must not turn it into a success.
        }
        if let skipped { throw skipped }
    }
}
