import ArgumentParser
import CommandGrammar
import ControlProtocol

/// The command among the words that were typed.
struct TypedCommand {
    /// Its names: "dashboard" and "pin"; empty if none was typed.
    private(set) var path: [String] = []
    /// lightctl itself if none was typed.
    private(set) var type: any ParsableCommand.Type = LightCtl.self
    /// A word in the place of a command, or of one that help is wanted for, that is not one.
    private(set) var unknown: String?

    /// - Parameter arguments: what was typed, without the program's name.
    init(in arguments: some Sequence<String>) {
        var words = arguments.makeIterator()
        while !subcommands.isEmpty, let word = words.next() {
            if LightCtl.optionsWithValue.contains(word) {
                _ = words.next()
            } else if path.isEmpty, word == "help" {
                continue
            } else if !word.hasPrefix("-") || word == "-" {
                let isMeant = { (command: any ParsableCommand.Type) in
                    command._commandName == word || command.configuration.aliases.contains(word)
                }
                guard let command = subcommands.first(where: isMeant) else {
                    unknown = word
                    return
                }
                path.append(command._commandName)
                type = command
            }
        }
    }

    /// Those that may follow it.
    var subcommands: [any ParsableCommand.Type] {
        path.isEmpty ? LightCtl.commands : type.configuration.subcommands
    }
}

/// A word in the place of a command that is not one.
struct UnknownCommand {
    /// The commands before it: "scene" in "scene list".
    let path: [String]
    let word: String
    /// Those that could stand in its place.
    private let names: [String]

    /// - Returns: `nil` if every word in the place of a command, or of one that help is wanted for, is a command.
    init?(in arguments: some Sequence<String>) {
        let typed = TypedCommand(in: arguments)
        guard let word = typed.unknown else { return nil }
        (path, self.word) = (typed.path, word)
        names = typed.subcommands.map { $0._commandName } + (path.isEmpty ? ["help"] : [])
    }

    /// What was typed.
    private var typed: String { (path + [word]).joined(separator: " ") }

    /// A command in another place: "list scenes" for "scene list", "recall" for "scene recall", "list lights" for
    /// "lights".
    private var elsewhere: String? {
        guard let parent = path.last else { return ListCommand.Kind(rawValue: word).map { "list \($0.rawValue)" } }
        guard word == "list" else { return LightCtl.commands.map { $0._commandName }.first { $0 == word } }
        let kind = parent == RoomKind.zone.rawValue ? .rooms : ListCommand.Kind(rawValue: parent + "s")
        return kind.map { "list \($0.rawValue)" }
    }

    var reply: ErrorReply {
        let nearest = elsewhere.map { "lightctl \($0)" } ?? closest(to: word, in: names)
        return ErrorReply(
            .invalid, "unknown command '\(typed)'" + (nearest.map { "; did you mean '\($0)'?" } ?? ""),
            hint: "'\((["lightctl"] + path).joined(separator: " ")) --help' lists all commands")
    }
}

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
