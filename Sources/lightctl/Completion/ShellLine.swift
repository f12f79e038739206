/// A command line that bash completes, as typed: with quotes and backslashes, up to the cursor.
///
/// bash's own words do not serve: it breaks them at every "@" and ":", and keeps the quotes.
struct ShellLine {
    /// After the name of the program, without quotes; the last is the one to complete.
    private(set) var words: [String] = []
    /// The quotation mark in which the last word stands, if that is still open.
    private var quote: Character?
    /// How many characters of the last word, without its quotes, readline leaves as they are.
    private var kept = 0

    /// - Parameter arguments: the cursor's place in bytes, the line, and readline's word breaks.
    init?(_ arguments: ArraySlice<String>) {
        let arguments = Array(arguments)
        guard arguments.count == 3, let point = Int(arguments[0]) else { return nil }
        read(String(decoding: arguments[1].utf8.prefix(point), as: UTF8.self), breaks: Set(arguments[2]))
    }

    private mutating func read(_ text: String, breaks: Set<Character>) {
        var word: String? = ""
        var isEscaped = false
        func isSpecial(_ character: Character) -> Bool { "\\\"$`".contains(character) }
        for character in text {
            if isEscaped {
                if quote == "\"", !isSpecial(character) { word = (word ?? "") + "\\" }
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                kept = word?.count ?? 0
                word = word ?? ""
            } else if character.isWhitespace {
                if let done = word { words.append(done) }
                (word, kept) = (nil, 0)
            } else if ";|&".contains(character) {
                // Another command begins.
                (words, word, kept) = ([], nil, 0)
            } else {
                word = (word ?? "") + String(character)
                // readline leaves "@" in the word.
                if breaks.contains(character), character != "@" { kept = word?.count ?? 0 }
            }
        }
        words.append(word ?? "")
        // The program, unless it is still being typed.
        if words.count > 1 { words.removeFirst() }
    }

    /// How bash must be given a candidate for the last word: quoted, and without what readline keeps.
    func typed(_ candidate: String) -> String {
        let rest = candidate.dropFirst(kept)
        switch quote {
        case "'": return rest.map { $0 == "'" ? #"'\''"# : String($0) }.joined()
        case "\"": return rest.map { #"\"$`"#.contains($0) ? "\\\($0)" : String($0) }.joined()
        default:
            let plain = rest.map { character in
                character.isLetter || character.isNumber || "@/._-+,:%".contains(character)
                    ? String(character) : "\\\(character)"
            }
            return plain.joined()
        }
    }
}
