import ArgumentParser
import ControlProtocol

/// What was typed wrong: one line that says it, and where the help for it is.
enum UsageError {
    /// - Parameters:
    ///   - message: ArgumentParser's, or one of our own.
    ///   - arguments: what was typed, without the program's name.
    static func reply(_ message: String, for arguments: some Sequence<String>) -> ErrorReply {
        // What is wrong is the call for help, not the command that it is wanted for.
        let meant = TypedCommand(in: arguments.prefix { $0 != "help" })
        return ErrorReply(
            .invalid, unknownOption(in: arguments, of: meant.type) ?? sentence(message),
            hint: meant.path.isEmpty
                ? "see 'lightctl --help'" : "see 'lightctl help \(meant.path.joined(separator: " "))'")
    }

    /// The first option that the command does not have. What else is wrong may follow from it: without the value of a
    /// mistyped option there is nothing to set.
    private static func unknownOption(
        in arguments: some Sequence<String>, of command: any ParsableCommand.Type
    ) -> String? {
        let types = [command, command.configuration.defaultSubcommand].compactMap { $0 }
        // Without a description of the command ArgumentParser's own words remain.
        let known = types.flatMap { (try? CommandDescription.of($0))?.arguments ?? [] }.filter {
            $0.kind != .positional
        }
        let names =
            known.flatMap { $0.names ?? [] }.map(\.typed).filter { $0.hasPrefix("--") } + ["--help", "--version"]
        let withValue = Set(known.filter { $0.kind == .option }.flatMap { $0.names ?? [] }.map(\.typed))
        var words = arguments.makeIterator()
        while let word = words.next(), word != "--" {
            let name = String(word.prefix { $0 != "=" })
            if withValue.contains(word) {
                _ = words.next()
            } else if word.hasPrefix("--"), !names.contains(name), name != CompletionScript.option {
                return "unknown option '\(name)'"
                    + (closest(to: name, in: names).map { "; did you mean '\($0)'?" } ?? "")
            }
        }
        return nil
    }

    /// ArgumentParser's "The value '40lm' is invalid for '--brightness <percent>': in lumens, …" as "'40lm' for
    /// --brightness is in lumens, …"; any other message on one line.
    static func sentence(_ message: String) -> String {
        let lines = message.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
        // A long list of values comes with one on each line.
        let values = lines.filter { $0.hasPrefix("- ") }.map { String($0.dropFirst(2)) }
        var line = lines.filter { !$0.hasPrefix("- ") }.joined(separator: " ")
        if !values.isEmpty { line.replace("the following:", with: alternatives(values)) }
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
}
