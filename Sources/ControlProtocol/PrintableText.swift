/// Text from outside, as it may stand in a line of a terminal or of a log. A name must not end the line, begin another
/// one, control the terminal, change the order in which the line is read, or hide anything of itself.
///
/// It is judged by Unicode scalars. As part of a `Character`, a control or a quotation mark followed by a combining mark
/// is neither equal to itself nor found.
public enum PrintableText {
    /// One line, in which line ends and tabs are spaces and everything else that cannot be seen is written
    /// `\u{202e}`. What can be seen stays as it is.
    public static func line(_ text: String) -> String {
        replacing(text) { $0.properties.isWhitespace ? " " : "\\u{\(String($0.value, radix: 16))}" }
    }

    /// The same JSON as data, with what cannot be seen in its strings written as `\u202e`.
    ///
    /// - Parameter json: as an encoder writes it: no control of ASCII but DEL is in a string, and nothing else than ASCII
    ///   outside of them.
    public static func json(_ json: String) -> String {
        replacing(json) { scalar in
            guard scalar.value >= 0x20 else { return String(scalar) }
            // Four digits for each unit.
            return String(scalar).utf16.map { "\\u" + String(0x10000 + UInt32($0), radix: 16).dropFirst() }.joined()
        }
    }

    /// Whether all of it is seen as it is.
    public static func isPrintable(_ text: String) -> Bool {
        var isPrintable = true
        walk(text) { if $1 { isPrintable = false } }
        return isPrintable
    }

    private static func replacing(_ text: String, by replacement: (Unicode.Scalar) -> String) -> String {
        guard !isPrintable(text) else { return text }
        var printable = String.UnicodeScalarView()
        walk(text) { scalar, isHidden in
            if isHidden {
                printable.append(contentsOf: replacement(scalar).unicodeScalars)
            } else {
                printable.append(scalar)
            }
        }
        return String(printable)
    }

    /// Visits each scalar, and says whether it must be replaced.
    private static func walk(_ text: String, _ visit: (Unicode.Scalar, Bool) -> Void) {
        let scalars = text.unicodeScalars
        var previous: Unicode.Scalar?
        for place in scalars.indices {
            let scalar = scalars[place]
            guard scalar.isHidden else {
                // A mark with nothing before it would be drawn onto what stands before the text: a quotation mark, a blank.
                let isStray = previous == nil && scalar.isMark
                visit(scalar, isStray)
                previous = isStray ? "}" : scalar
                continue
            }
            let next = scalars.index(after: place)
            let isNeeded = scalar.isNeeded(after: previous, before: next < scalars.endIndex ? scalars[next] : nil)
            visit(scalar, !isNeeded)
            // What was replaced ends in ASCII.
            previous = isNeeded ? scalar : "}"
        }
    }
}

extension Unicode.Scalar {
    /// Whether it controls something, or leaves nothing to see.
    ///
    /// Unassigned scalars are not: they are drawn as a box, and may be emoji that are younger than this program.
    fileprivate var isHidden: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        default:
            // Also the marks around an interlinear annotation.
            properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint
                || (0xFFF9...0xFFFB).contains(value)
        }
    }

    fileprivate var isMark: Bool {
        [.nonspacingMark, .spacingMark, .enclosingMark].contains(properties.generalCategory)
    }

    private var isVariationSelector: Bool {
        switch value {
        case 0xFE00...0xFE0F, 0x180B...0x180D, 0x180F: true
        default: false
        }
    }

    /// Whether a language or an emoji needs it here, though it is not seen itself: joiners between two letters or emoji
    /// (Persian and Indic scripts, families), and one variation selector after what it varies.
    fileprivate func isNeeded(after previous: Self?, before next: Self?) -> Bool {
        guard let previous else { return false }
        // "1️⃣"
        let keycap: Self = "\u{20E3}"
        if value == 0xFE0F, next == keycap, "0123456789#*".unicodeScalars.contains(previous) { return true }
        guard !previous.isASCII else { return false }
        if isVariationSelector { return !previous.isHidden }
        guard value == 0x200C || value == 0x200D, let next, !next.isASCII, !next.isHidden else { return false }
        return !previous.isHidden || previous.isVariationSelector
    }
}

/// Who sent a command, as ``CauseBody/by`` and the log name it.
public enum SenderText {
    /// Before the name of a page to which people have given one.
    private static let namedPage = "a \(Routes.pageClient) named "

    /// What it begins with, in place of all that lightd knows: "anna" of "anna (uid 1000) with lightctl", "uid 1000" of
    /// "uid 1000 with curl", "a page" of "a page with token 'phone' over TCP", and with its quotation marks what a client
    /// over TCP calls itself, and what people have called a page: "'Anna’s phone'" of "a page named 'Anna’s phone' over TCP".
    public static func brief(_ sender: String) -> Substring {
        if sender.hasPrefix(namedPage + "'") {
            let name = sender.dropFirst(namedPage.count)
            // No name has another.
            return name.dropFirst().firstIndex(of: "'").map { name[...$0] } ?? name
        }
        let quote = sender.utf8.firstIndex(of: UInt8(ascii: "\""))
        if let quote, quote == sender.startIndex {
            let end = sender.utf8.dropFirst().firstIndex(of: UInt8(ascii: "\""))
            return sender[..<(end.map { sender.utf8.index(after: $0) } ?? sender.endIndex)]
        }
        // What comes first is lightd's own; in quotation marks a client may say the same.
        let known = sender[..<(quote ?? sender.endIndex)]
        if sender.hasPrefix("uid "), let end = known.utf8.dropFirst(4).firstIndex(of: UInt8(ascii: " ")) {
            return known[..<end]
        }
        let ends = [" (uid ", " with token ", " over TCP"].compactMap { known.firstRange(of: $0)?.lowerBound }
        return ends.min().map { known[..<$0] } ?? sender[...]
    }
}
