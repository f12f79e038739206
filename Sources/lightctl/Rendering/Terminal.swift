import ControlProtocol
import Glibc

/// What the output supports: decided once from the file descriptor and the environment.
struct Terminal: Equatable, Sendable {
    enum Colours: Equatable, Sendable { case none, sixteen, palette, full }

    /// Whether a person reads it: tables, confirmations and countdowns need a terminal.
    var isTerminal: Bool
    var colours: Colours
    var columns: Int
    var rows = 24
    /// Whether it can show characters outside ASCII.
    var unicode: Bool
    /// Whether levels are also drawn as bars.
    var bars = true

    static let pipe = Terminal(isTerminal: false, colours: .none, columns: .max, unicode: true)
    /// What an assistant reads: the tables and sentences for people. Every character that it reads is paid for.
    static let assistant = {
        var terminal = Terminal(isTerminal: true, colours: .none, columns: .max, unicode: true)
        terminal.bars = false
        return terminal
    }()

    init(isTerminal: Bool, colours: Colours, columns: Int, unicode: Bool) {
        (self.isTerminal, self.colours, self.columns, self.unicode) = (isTerminal, colours, columns, unicode)
    }

    /// `NO_COLOR` (no-color.org: set and not empty) and `TERM=dumb` turn colours off; `COLORTERM` and `TERM` say how
    /// many there are.
    init(isTerminal: Bool, columns: Int, environment: [String: String]) {
        self.isTerminal = isTerminal
        self.columns = columns
        let term = environment["TERM"] ?? ""
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        unicode = !isTerminal || locale.lowercased().contains("utf")
        guard isTerminal, environment["NO_COLOR", default: ""].isEmpty, term != "dumb", !term.isEmpty else {
            colours = .none
            return
        }
        colours =
            if ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") || term.hasSuffix("-direct") {
                .full
            } else if term.contains("256") {
                .palette
            } else {
                .sixteen
            }
    }

    /// Says what terminal the output of a lightctl is for that another one shows: "80x24".
    static let sizeVariable = "LIGHTCTL_TERMINAL"

    /// The terminal behind a file descriptor (1 is standard output, 2 standard error).
    static func behind(_ descriptor: Int32, environment: [String: String]) -> Terminal {
        let given = environment[sizeVariable]?.split(separator: "x").compactMap { Int($0) } ?? []
        if descriptor == 1, given.count == 2, given.allSatisfy({ $0 > 0 }) {
            var terminal = Terminal(isTerminal: true, columns: given[0], environment: environment)
            terminal.rows = given[1]
            return terminal
        }
        guard isatty(descriptor) == 1 else { return .pipe }
        var size = winsize()
        let asked = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
        var terminal = Terminal(isTerminal: true, columns: asked ? Int(size.ws_col) : 80, environment: environment)
        if asked { terminal.rows = Int(size.ws_row) }
        return terminal
    }
}

/// A text with a style. The text alone must carry the meaning, since styles may be turned off.
struct StyledText: Equatable, Sendable {
    enum Style: Equatable, Sendable { case plain, strong, faint, good, warning, alarm, reversed }

    var text: String
    var style: Style
    /// The colour, on terminals that have it.
    var colour: RGB?

    struct RGB: Equatable, Sendable { let red, green, blue: Int }

    init(_ text: String, _ style: Style = .plain, colour: RGB? = nil) {
        (self.text, self.style, self.colour) = (text, style, colour)
    }

    func painted(_ colours: Terminal.Colours) -> String {
        let codes = codes(colours)
        return codes.isEmpty || text.isEmpty ? text : "\u{1B}[\(codes)m\(text)\u{1B}[0m"
    }

    private func codes(_ colours: Terminal.Colours) -> String {
        if let colour {
            switch colours {
            case .full: return "38;2;\(colour.red);\(colour.green);\(colour.blue)"
            case .palette: return "38;5;\(colour.cube)"
            case .sixteen, .none: break
            }
        }
        guard colours != .none else { return "" }
        switch style {
        case .plain: return ""
        case .strong: return "1"
        case .faint: return "2"
        case .good: return "32"
        case .warning: return "33"
        case .alarm: return "31"
        case .reversed: return "7"
        }
    }
}

extension StyledText.RGB {
    /// The nearest colour of the 6 × 6 × 6 cube that starts at number 16 on terminals with 256 colours.
    var cube: Int {
        let steps = [0, 95, 135, 175, 215, 255]
        func nearest(_ value: Int) -> Int { steps.indices.min { abs(steps[$0] - value) < abs(steps[$1] - value) } ?? 0 }
        return 16 + 36 * nearest(red) + 6 * nearest(green) + nearest(blue)
    }
}

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
