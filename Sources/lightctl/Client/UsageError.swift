import ArgumentParser
import CommandGrammar
import ControlProtocol

/// What was typed wrong: one line that says it, and where the help for it is.
enum UsageError {
    /// - Parameters:
    ///   - message: ArgumentParser's, or one of our own.
    ///   - arguments: what was typed, without the program's name.
    static func reply(_ message: String, for arguments: some Sequence<String>) -> ErrorReply {
        // What is wrong is the call for help, not the command that it is wanted for.
        let meant = TypedCommand(in: arguments.prefix { $0 != "help" })
        if let unknown = unknownOption(in: arguments, of: meant.type) {
            return ErrorReply(.invalid, unknown, hint: help(meant))
        }
        let words = Array(arguments)
        if let verb = words.firstIndex(where: { $0 == meant.path.first }),
            let turned = UsageWords.turnedRound(Array(words[verb...]))
        {
            return ErrorReply(
                .invalid, UsageWords.sentence(message), hint: "did you mean 'lightctl \(turned)'?")
        }
        return ErrorReply(.invalid, UsageWords.sentence(message), hint: help(meant))
    }

    private static func help(_ meant: TypedCommand) -> String {
        meant.path.isEmpty ? "see 'lightctl --help'" : "see 'lightctl help \(meant.path.joined(separator: " "))'"
    }

    private static func unknownOption(
        in arguments: some Sequence<String>, of command: any ParsableCommand.Type
    ) -> String? {
        let types = [command, command.configuration.defaultSubcommand].compactMap { $0 }
        // Without a description of the command ArgumentParser's own words remain.
        let known = types.flatMap { (try? CommandDescription.of(command: $0))?.arguments ?? [] }
        let words = arguments.filter { $0.prefix { $0 != "=" } != CompletionScript.option }
        return UsageWords.unknownOption(in: words, of: known, and: ["--help", "--version"])?.sentence
    }
}
