import ArgumentParser
import ControlProtocol

/// What was typed wrong: one line that says it, and where the help for it is.
enum UsageError {
    /// - Parameters:
    ///   - message: ArgumentParser's, or one of our own.
    ///   - arguments: what was typed, without the program's name.
    static func reply(_ message: String, for arguments: some Sequence<String>) -> ErrorReply {
        ErrorReply(
            .invalid, sentence(message),
            hint: topic(of: arguments).map { "see 'lightctl help \($0)'" } ?? "see 'lightctl --help'")
    }

    /// ArgumentParser's "The value '40lm' is invalid for '--brightness <percent>': in lumens, …" as "'40lm' for
    /// --brightness is in lumens, …"; any other message on one line.
    static func sentence(_ message: String) -> String {
        let lines = message.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
        // A long list of values comes with one on each line.
        let values = lines.filter { $0.hasPrefix("- ") }.map { "'\($0.dropFirst(2))'" }
        var line = lines.filter { !$0.hasPrefix("- ") }.joined(separator: " ")
        if let last = values.last {
            line.replace("the following:", with: "\(values.dropLast().joined(separator: ", ")) or \(last)")
        }
        let (opening, middle) = ("The value '", "' is invalid for '")
        guard line.hasPrefix(opening), let invalid = line.firstRange(of: middle),
            let end = line[invalid.upperBound...].firstIndex(of: "'")
        else {
            return line.prefix(1).lowercased() + line.dropFirst()
        }
        let value = line[line.index(line.startIndex, offsetBy: opening.count)..<invalid.lowerBound]
        let option = line[invalid.upperBound..<end]
        let reason = line[line.index(after: end)...]
        if reason.hasPrefix(": ") {
            let name = option.hasPrefix("-") ? " for \(option.prefix { $0 != " " })" : ""
            return "'\(value)'\(name) is \(reason.dropFirst(2))"
        }
        let choices = reason.replacing(". Please provide one of", with: ": use one of")
        // More than a few choices are a list, each on a line of its own.
        let (before, dash) = (": use one of the following: - ", " - ")
        if choices.hasPrefix(before) {
            let words = choices.dropFirst(before.count).split(separator: dash).map(String.init)
            return "'\(value)' is not a valid \(option): use one of \(alternatives(words))"
        }
        return "'\(value)' is not a valid \(option)" + (choices.hasSuffix(".") ? choices.dropLast() : choices[...])
    }

    /// The command that was typed, for `lightctl help`: "set", "dashboard pin"; `nil` if none was.
    static func topic(of arguments: some Sequence<String>) -> String? {
        var commands = LightCtl.commands
        var path: [String] = []
        var words = arguments.makeIterator()
        while let word = words.next() {
            if LightCtl.optionsWithValue.contains(word) {
                _ = words.next()
            } else if !word.hasPrefix("-") || word == "-" {
                let isMeant = { (command: any ParsableCommand.Type) in
                    command._commandName == word || command.configuration.aliases.contains(word)
                }
                guard let command = commands.first(where: isMeant) else { break }
                path.append(command._commandName)
                commands = command.configuration.subcommands
            }
        }
        return path.isEmpty ? nil : path.joined(separator: " ")
    }
}
