import ArgumentParser

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
