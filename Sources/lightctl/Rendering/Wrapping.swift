/// Texts one after the other, broken between words into lines that the terminal shows whole. Lines after the first are
/// indented.
///
/// - Parameter indent: by so much, or by 4 if that would leave little of a narrow terminal.
func wrapped(_ parts: [StyledText], for terminal: Terminal, indent: Int = 4) -> String {
    func painted(_ parts: [StyledText]) -> String { parts.map { $0.painted(terminal.colours) }.joined() }
    let whole = parts.reduce(0) { $0 + columns($1.text) }
    guard whole > terminal.columns else { return painted(parts) }
    let indent = indent * 3 <= terminal.columns ? indent : min(4, terminal.columns / 2)
    var lines = Lines(width: terminal.columns, indent: indent)
    for part in parts {
        for character in part.text { lines.add(character, of: part) }
    }
    return lines.ended().map(painted).joined(separator: "\n")
}

/// Lines that are filled character by character. A word that is wider than a line is broken.
private struct Lines {
    let width: Int
    let indent: Int
    private var done: [[StyledText]] = []
    private var line = Run()
    /// What has come in since the last blank, which goes to the next line if it does not fit.
    private var word = Run()

    init(width: Int, indent: Int) {
        (self.width, self.indent) = (width, indent)
    }

    mutating func add(_ character: Character, of part: StyledText) {
        let isBlank = character == " "
        // Blanks at the start of a further line are left out.
        if isBlank, word.width == 0, line.isBlank, !done.isEmpty { return }
        guard line.width + word.width + columns(character) > width else {
            word.append(character, of: part)
            if isBlank { endWord() }
            return
        }
        if isBlank {
            endWord()
            endLine()
        } else if line.isBlank {
            endWord()
            endLine()
            word.append(character, of: part)
        } else {
            let moved = word
            word = Run()
            endLine()
            for part in moved.parts { for character in part.text { add(character, of: part) } }
            add(character, of: part)
        }
    }

    mutating func ended() -> [[StyledText]] {
        endWord()
        return done + [line.parts]
    }

    private mutating func endWord() {
        line.append(word)
        word = Run()
    }

    private mutating func endLine() {
        while let last = line.parts.last?.text, last.hasSuffix(" ") {
            line.parts[line.parts.count - 1].text.removeLast()
            if last == " " { line.parts.removeLast() }
        }
        done.append(line.parts)
        line = Run()
        line.append(Run(parts: [StyledText(String(repeating: " ", count: indent))], width: indent))
    }

    struct Run {
        var parts: [StyledText] = []
        var width = 0

        var isBlank: Bool { parts.allSatisfy { $0.text.allSatisfy { $0 == " " } } }

        mutating func append(_ character: Character, of part: StyledText) {
            var piece = part
            piece.text = String(character)
            append(Run(parts: [piece], width: columns(character)))
        }

        mutating func append(_ other: Run) {
            for part in other.parts {
                if let last = parts.last, last.style == part.style, last.colour == part.colour {
                    parts[parts.count - 1].text += part.text
                } else {
                    parts.append(part)
                }
            }
            width += other.width
        }
    }
}
