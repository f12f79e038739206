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

    static let pipe = Terminal(isTerminal: false, colours: .none, columns: .max, unicode: true)

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

    /// The terminal behind a file descriptor (1 is standard output, 2 standard error).
    static func behind(_ descriptor: Int32, environment: [String: String]) -> Terminal {
        guard isatty(descriptor) == 1 else { return .pipe }
        var size = winsize()
        let asked = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
        var terminal = Terminal(isTerminal: true, columns: asked ? Int(size.ws_col) : 80, environment: environment)
        if asked { terminal.rows = Int(size.ws_row) }
        return terminal
    }
}
