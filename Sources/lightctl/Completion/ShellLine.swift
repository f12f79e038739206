import ControlProtocol

/// A command line that bash completes, as typed up to the cursor: with quotes and backslashes.
///
/// bash's own words do not serve: it breaks them at every "@" and ":", and keeps the quotes. As bash, it reads Unicode
/// scalars: for a `Character`, a quotation mark with a combining mark would be none.
struct ShellLine {
    /// After the name of the program, without quotes; the last is the one to complete.
    let words: [String]
    /// The quotation marks in which the last word stands, if they are still open.
    private let quote: ShellQuote
    /// What of the last word, without its quotes, readline leaves as it is.
    private let kept: String

    /// - Parameter arguments: the line up to the cursor, and readline's word breaks.
    init?(_ arguments: ArraySlice<String>) {
        guard arguments.count == 2, let line = arguments.first, let breaks = arguments.last else { return nil }
        var reader = Reader(breaks: Set(breaks.unicodeScalars))
        for scalar in line.unicodeScalars { reader.read(scalar) }
        let all = reader.words + [reader.word.map { String($0) } ?? ""]
        // The program, unless it is still being typed.
        words = all.count > 1 ? Array(all.dropFirst()) : all
        quote =
            switch reader.quote {
            case "'": .single
            case "\"": .double
            default: .none
            }
        kept = String(reader.kept)
    }

    private struct Reader {
        let breaks: Set<Unicode.Scalar>
        var words: [String] = []
        var word: String.UnicodeScalarView?
        var quote: Unicode.Scalar?
        var isEscaped = false
        var kept = String.UnicodeScalarView()
        /// What it kept before the quotes began: once they are closed, readline takes them as part of the word.
        private var keptBefore = String.UnicodeScalarView()

        init(breaks: Set<Unicode.Scalar>) { self.breaks = breaks }

        mutating func read(_ scalar: Unicode.Scalar) {
            if isEscaped {
                if quote == "\"", !"\\\"$`".unicodeScalars.contains(scalar) { add("\\") }
                add(scalar)
                isEscaped = false
            } else if scalar == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if scalar == open { (quote, kept) = (nil, keptBefore) } else { add(scalar) }
            } else if scalar == "'" || scalar == "\"" {
                word = word ?? .init()
                (quote, keptBefore, kept) = (scalar, kept, word ?? .init())
            } else if [" ", "\t", "\n"].contains(scalar) {
                if let done = word { words.append(String(done)) }
                (word, kept) = (nil, .init())
            } else if [";", "|", "&"].contains(scalar) {
                // Another command begins.
                (words, word, kept) = ([], nil, .init())
            } else {
                add(scalar)
                // readline leaves "@" in the word.
                if breaks.contains(scalar), scalar != "@" { kept = word ?? .init() }
            }
        }

        private mutating func add(_ scalar: Unicode.Scalar) {
            if word == nil { word = .init() }
            word?.append(scalar)
        }
    }

    /// How bash must be given a candidate for the last word: quoted, and without what readline keeps; `nil` if it does
    /// not begin with that, in either case of its letters.
    func typed(_ candidate: String) -> String? {
        var rest = candidate.unicodeScalars[...]
        for scalar in kept.unicodeScalars {
            guard let first = rest.popFirst(), first.properties.lowercaseMapping == scalar.properties.lowercaseMapping
            else { return nil }
        }
        return quote.typed(String(rest))
    }
}
