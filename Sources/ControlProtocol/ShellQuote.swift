/// How a text must be typed in bash, zsh, fish or any POSIX shell so that it stands there word for word: inside of open
/// quotation marks, or outside of them.
///
/// It is judged by Unicode scalars, as shells judge it. As part of a `Character`, a quotation mark followed by a combining
/// mark is not equal to a quotation mark: it would end the quotes, and what follows it in a lamp's name would be run.
public enum ShellQuote: Sendable {
    /// Outside of quotes.
    case none
    /// Between '…'
    case single
    /// Between "…"
    case double

    /// The text as typed, without the marks around it.
    public func typed(_ text: String) -> String {
        var typed = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let other = replacement(of: scalar) {
                typed.append(contentsOf: other.unicodeScalars)
            } else {
                typed.append(scalar)
            }
        }
        return String(typed)
    }

    private func replacement(of scalar: Unicode.Scalar) -> String? {
        switch self {
        case .none:
            if scalar.isPlain || !scalar.isASCII { return nil }
            // A backslash before a line end takes both away.
            return scalar.value < 0x20 ? "'\(scalar)'" : "\\\(scalar)"
        case .single: return scalar == "'" ? #"'\''"# : nil
        case .double:
            // An interactive bash looks for its history here, and leaves the backslash that keeps it from that.
            if scalar == "!" { return #""'!'""# }
            return #"\"$`"#.unicodeScalars.contains(scalar) ? "\\\(scalar)" : nil
        }
    }

    /// One word of a line that people paste: as it is if nothing in it means anything to a shell, or else in quotes.
    public static func word(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let isPlain = scalars.allSatisfy { $0.isPlain || $0.isWordOfLanguage }
        // zsh reads "=ls" as the path of a program, and fish "%self" as a number.
        if isPlain, let first = scalars.first, first != "=", first != "%" { return text }
        return "'\(single.typed(text))'"
    }

    public static func line(_ words: some Sequence<String>) -> String { words.map(word).joined(separator: " ") }

    /// A command with one operand that somebody else has named: also one that begins like an option is none.
    public static func line(_ command: String, operand: String) -> String {
        command + (operand.utf8.first == UInt8(ascii: "-") ? " -- " : " ") + word(operand)
    }
}

extension Unicode.Scalar {
    /// Of ASCII, what no shell reads as anything but itself.
    fileprivate var isPlain: Bool {
        switch self {
        case "0"..."9", "A"..."Z", "a"..."z", "@", "/", ".", "_", "-", "+", ",", ":", "%", "=": true
        default: false
        }
    }

    /// Beyond ASCII nothing means anything to a shell; but a space that is not one would mislead a reader.
    fileprivate var isWordOfLanguage: Bool {
        guard !isASCII else { return false }
        return switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark, .spacingMark:
            !properties.isDefaultIgnorableCodePoint
        default: self == "°"
        }
    }
}
