import ArgumentParser
import ControlProtocol

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
        let kind = parent == RoomBody.Kind.zone.rawValue ? .rooms : ListCommand.Kind(rawValue: parent + "s")
        return kind.map { "list \($0.rawValue)" }
    }

    var reply: ErrorReply {
        let nearest = elsewhere.map { "lightctl \($0)" } ?? closest(to: word, in: names)
        return ErrorReply(
            .invalid, "unknown command '\(typed)'" + (nearest.map { "; did you mean '\($0)'?" } ?? ""),
            hint: "'\((["lightctl"] + path).joined(separator: " ")) --help' lists all commands")
    }
}
