import ControlProtocol

/// The number of terminal columns a text takes: 2 for CJK characters and emoji, 0 for combining marks.
func columns(_ text: String) -> Int {
    text.reduce(0) { $0 + columns($1) }
}

/// Source: the ranges W and F of Unicode's EastAsianWidth, and emoji with emoji presentation.
func columns(_ character: Character) -> Int {
    if let ascii = character.asciiValue { return (0x20..<0x7F).contains(ascii) ? 1 : 0 }
    guard let first = character.unicodeScalars.first else { return 0 }
    if character.unicodeScalars.contains("\u{FE0F}") { return 2 }  // asks for emoji presentation
    switch first.properties.generalCategory {
    case .control, .format, .nonspacingMark, .enclosingMark, .surrogate: return 0
    default: break
    }
    if first.properties.isEmojiPresentation { return 2 }
    switch first.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
        return 2
    default: return 1
    }
}

/// The text, shortened with "…" to fit the width.
func cut(_ text: String, to width: Int) -> String {
    guard columns(text) > width else { return text }
    guard width > 0 else { return "" }
    var (kept, taken) = ("", 0)
    for character in text {
        let next = columns(character)
        guard taken + next <= width - 1 else { break }
        kept.append(character)
        taken += next
    }
    return kept + "…"
}

/// What comes from bridges, people and files, in one line in which all is seen.
func printable(_ text: String) -> String { PrintableText.line(text) }

/// Whether a character belongs to a script that is written from right to left.
///
/// Source: the blocks from Hebrew to Arabic Extended-A, their presentation forms, and the right-to-left blocks of plane 1.
func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
    default: false
    }
}
