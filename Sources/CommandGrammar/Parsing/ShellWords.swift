/// A line split into words as a POSIX shell splits it: at blanks, with '…', "…" and backslashes. Nothing is expanded:
/// what asks a shell for more than that is refused, unless it is quoted. ``ShellQuote/line(_:)`` writes one.
///
/// As a shell, it reads Unicode scalars.
public enum ShellWords {
    public struct Word: Equatable, Sendable {
        /// Without quotes and backslashes.
        public let text: String
        /// How many scalars of the line stand before it.
        public let offset: Int
    }

    public static func split(_ line: some StringProtocol) throws(TextError) -> [Word] {
        let scalars = Array(line.unicodeScalars)
        var words: [Word] = []
        var word: (text: String.UnicodeScalarView, offset: Int)?
        var place = 0
        func open(at offset: Int) { word = word ?? (String.UnicodeScalarView(), offset) }
        func add(_ scalar: Unicode.Scalar, at offset: Int) {
            open(at: offset)
            word?.text.append(scalar)
        }
        func close() {
            if let done = word { words.append(Word(text: String(done.text), offset: done.offset)) }
            word = nil
        }
        while place < scalars.count {
            let scalar = scalars[place]
            switch scalar {
            case " ", "\t": close()
            case "\\":
                guard place + 1 < scalars.count else {
                    throw TextError("nothing follows the backslash", at: place)
                }
                add(scalars[place + 1], at: place)
                place += 1
            case "'", "\"":
                let start = place
                open(at: start)
                place += 1
                while place < scalars.count, scalars[place] != scalar {
                    // Between double quotes a backslash protects only these.
                    if scalar == "\"", scalars[place] == "\\", place + 1 < scalars.count,
                        #"\"$`"#.unicodeScalars.contains(scalars[place + 1])
                    {
                        place += 1
                    }
                    add(scalars[place], at: start)
                    place += 1
                }
                guard place < scalars.count else {
                    throw TextError("the quotation mark \(scalar) is not closed", at: start)
                }
            case "\n"..."\r", "\u{85}", "\u{2028}", "\u{2029}":
                throw TextError("the line ends here: write each command by itself", at: place)
            case _ where ";|&<>`$".unicodeScalars.contains(scalar):
                throw TextError("'\(scalar)' means something to a shell only: leave it out, or quote it", at: place)
            default: add(scalar, at: place)
            }
            place += 1
        }
        close()
        return words
    }
}
