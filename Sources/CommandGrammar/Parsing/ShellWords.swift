/// A line split into words as a POSIX shell splits it: at blanks, with '…', "…" and backslashes. Nothing is expanded:
/// what asks a shell for more than that is refused, unless it is quoted.
public enum ShellWords {
    public struct Word: Equatable, Sendable {
        /// Without quotes and backslashes.
        public let text: String
        /// How many characters of the line stand before it.
        public let offset: Int
    }

    public static func split(_ line: some StringProtocol) throws(TextError) -> [Word] {
        let characters = Array(line)
        var words: [Word] = []
        var word: (text: String, offset: Int)?
        var place = 0
        func add(_ character: Character) {
            word = ((word?.text ?? "") + String(character), word?.offset ?? place)
        }
        while place < characters.count {
            let character = characters[place]
            switch character {
            case " ", "\t":
                if let done = word { words.append(Word(text: done.text, offset: done.offset)) }
                word = nil
            case "\\":
                guard place + 1 < characters.count else {
                    throw TextError("nothing follows the backslash", at: place)
                }
                word = ((word?.text ?? "") + String(characters[place + 1]), word?.offset ?? place)
                place += 1
            case "'", "\"":
                let start = place
                word = (word?.text ?? "", word?.offset ?? start)
                place += 1
                while place < characters.count, characters[place] != character {
                    // Between double quotes a backslash protects only these.
                    if character == "\"", characters[place] == "\\", place + 1 < characters.count,
                        #"\"$`"#.contains(characters[place + 1])
                    {
                        place += 1
                    }
                    add(characters[place])
                    place += 1
                }
                guard place < characters.count else {
                    throw TextError("the quotation mark \(character) is not closed", at: start)
                }
            case _ where character.isNewline:
                throw TextError("the line ends here: write each command by itself", at: place)
            case _ where ";|&<>`$".contains(character):
                throw TextError(
                    "'\(character)' means something to a shell only: leave it out, or quote it", at: place)
            default: add(character)
            }
            place += 1
        }
        if let done = word { words.append(Word(text: done.text, offset: done.offset)) }
        return words
    }

    /// A line that is split into these words again.
    public static func line(_ words: some Sequence<String>) -> String {
        words.map { word in
            let isPlain =
                !word.isEmpty
                && word.allSatisfy { character in
                    character.isLetter || character.isNumber || "@/._-+,:%=#°()[]{}!?*~^".contains(character)
                }
            return isPlain
                ? word
                : "'"
                    + word.split(separator: "'", omittingEmptySubsequences: false)
                    .joined(separator: #"'\''"#) + "'"
        }.joined(separator: " ")
    }
}
