import ControlProtocol

/// What is wrong with typed words, in lightctl's words.
public enum UsageWords {
    /// An option that a command does not have.
    public struct UnknownOption: Equatable, Sendable {
        /// As typed, without its value.
        public let name: String
        /// The one that may be meant.
        public let nearest: String?

        public var sentence: String {
            "unknown option '\(name)'" + (nearest.map { "; did you mean '\($0)'?" } ?? "")
        }
    }

    /// The first option that a command does not have. What else is wrong may follow from it: without the value of a
    /// mistyped option there is nothing to set.
    ///
    /// - Parameters:
    ///   - arguments: those that the command has.
    ///   - others: options that are not among them.
    public static func unknownOption(
        in words: some Sequence<String>, of arguments: [CommandDescription.Argument], and others: [String] = []
    ) -> UnknownOption? {
        let known = arguments.filter { $0.kind != .positional }
        let names = known.flatMap { $0.names ?? [] }.map(\.typed).filter { $0.hasPrefix("--") } + others
        let withValue = Set(known.filter { $0.kind == .option }.flatMap { $0.names ?? [] }.map(\.typed))
        var words = words.makeIterator()
        while let word = words.next(), word != "--" {
            let name = String(word.prefix { $0 != "=" })
            if withValue.contains(word) {
                _ = words.next()
            } else if word.hasPrefix("--"), !names.contains(name) {
                return UnknownOption(name: name, nearest: closest(to: name, in: names))
            }
        }
        return nil
    }

    /// ArgumentParser's "The value '40lm' is invalid for '--brightness <percent>': in lumens, …" as "'40lm' for
    /// --brightness is in lumens, …"; any other message on one line.
    public static func sentence(_ message: String) -> String {
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

    /// A line in which the word that says what to do stands in the wrong place, turned round: "turn on desk" for "turn desk
    /// on", "dim desk 30%" for "dim 30% desk". `nil` if it does not.
    ///
    /// - Parameter words: a verb and what follows it.
    public static func turnedRound(_ words: [String]) -> String? {
        let operands = words.prefix { !$0.hasPrefix("--") }.dropFirst()
        guard let verb = words.first, let first = operands.first, let last = operands.last, operands.count > 1 else {
            return nil
        }
        let options = words[operands.endIndex...]
        func isAction(_ word: String) -> Bool { TurnVerb.Action(rawValue: word.lowercased()) != nil }
        func isLevel(_ word: String) -> Bool { (try? ValueChange<Percent>(argument: word)) != nil }
        switch verb {
        case "turn" where !isAction(first) && isAction(last):
            return ShellQuote.line([verb, last.lowercased()] + operands.dropLast() + options)
        case "dim" where isLevel(first) && !isLevel(last):
            return ShellQuote.line([verb] + operands.dropFirst() + [first] + options)
        default: return nil
        }
    }

    private static func alternatives(_ words: [String]) -> String { enumeration(words.map { "'\($0)'" }, "or") }
}

/// What is wrong with a text that a person wrote, and where.
public struct TextError: Error, Equatable, Sendable {
    /// What was found, and what was expected: "unknown command 'tun'; did you mean 'turn'?"
    public var message: String
    /// How many characters stand before the place.
    public var offset: Int

    public init(_ message: String, at offset: Int) {
        (self.message, self.offset) = (message, offset)
    }
}

extension TextError: CustomStringConvertible {
    /// "at character 6: …", counted from 1.
    public var description: String { "at character \(offset + 1): \(message)" }
}
