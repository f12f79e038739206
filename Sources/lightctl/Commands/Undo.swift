import ArgumentParser
import ControlProtocol

/// What `undo` and `redo` both take.
struct Reversing: ParsableArguments {
    @Argument(help: "How many commands.") var count = 1
    @OptionGroup var manner: Manner

    func validate() throws {
        guard count >= 1 else { throw ValidationError("at least one command is taken, not \(count)") }
    }
}

struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
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

    @OptionGroup var reversing: Reversing
    @OptionGroup var options: Options

    func run() async throws {
        try await Session(options).reverse(reversing, "undid") { .undo(steps: $0, over: $1) }
    }
}

struct Redo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Do again what was undone.",
        discussion: """
            Until another command is given. Lights that somebody else has changed since are left as they are, as with 'undo'.

            Examples:
              lightctl redo
              lightctl redo 3 --wait
            """
    )

    @OptionGroup var reversing: Reversing
    @OptionGroup var options: Options

    func run() async throws {
        try await Session(options).reverse(reversing, "redid") { .redo(steps: $0, over: $1) }
    }
}

extension Session {
    /// Goes back or forth, tells what came of it, and fails where lights were left as they are.
    fileprivate func reverse(_ reversing: Reversing, _ did: String, _ command: (Int, Int?) -> Command) async throws {
        let manner = reversing.manner
        let reply = try await client.order(
            command(reversing.count, manner.over?.milliseconds), wait: manner.wait, within: patience(for: manner))
        let skipped = Reversal.complaint(reply, WallClock.local())
        do {
            if console.json { try console.value(reply) } else { try console.confirm(Reversal.line(did, reply)) }
        } catch is Console.ReaderGone where skipped != nil {
            // A reader that has gone must not turn it into a success.
        }
        if let skipped { throw skipped }
    }
}
