import ArgumentParser
import ControlProtocol

struct OpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Make a link that opens the page, and signs one phone or browser in.",
        discussion: """
            On a terminal it is printed with a QR code: point a phone's camera at it. It can be used once, within ten \
            minutes. The phone then has a token of its own, which 'lightctl token list' shows and 'lightctl token \
            revoke NAME' ends.

            lightd must listen on TCP; for phones, on an address that they reach ('tcp' in lightd.yaml).

            In a pipe, prints only the link.

            Examples:
              lightctl open
              lightctl open --role control --for 3d   # for a guest
              lightctl open --role look               # for a panel that only shows
              xdg-open "$(lightctl open)"             # in a browser here
            """
    )

    @OptionGroup var role: RoleOptions
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        let link = try session.client.create(
            LinkRequest(access: role.access, ends: role.end(.local())),
            within: session.timeout ?? Session.defaultTimeout)
        let terminal = session.terminal
        if !options.json, let code = QRText.lines(link.qr, on: terminal) { try session.console.print(code + "\n") }
        // With --quiet too: nothing can show it again.
        try Console.write(
            (options.json ? Console.json(link, pretty: terminal.isTerminal) : link.url) + "\n", to: 1)
        guard !options.json, terminal.isTerminal else { return }
        for url in link.also ?? [] { session.console.note("or \(printable(url))") }
        session.console.note(
            "opens the page once, until \(WallClock.local().when(link.expires)); it \(link.access.words)"
                + (link.ends.map { ", until \(WallClock.local().when($0))" } ?? ""))
        if let hint = link.hint { session.console.note(printable(hint)) }
    }
}

/// QR codes on a terminal.
enum QRText {
    /// How much light there must be around a code, in modules.
    private static let quiet = 4

    /// Two modules above each other in each character, dark on light whatever colours the terminal has. A terminal
    /// without colours is taken for one with a dark background.
    ///
    /// - Returns: `nil` if the terminal cannot show it.
    static func lines(_ code: QRBody, on terminal: Terminal) -> String? {
        let size = code.size + 2 * quiet
        guard terminal.isTerminal, terminal.unicode, size <= terminal.columns else { return nil }
        let rows = code.rows.map { $0.map { $0 == "1" } }
        func isDark(_ row: Int, _ column: Int) -> Bool {
            let (row, column) = (row - quiet, column - quiet)
            return rows.indices.contains(row) && rows[row].indices.contains(column) && rows[row][column]
        }
        let paint =
            switch terminal.colours {
            // Black and white of the palette's fixed part: the first sixteen may be anything.
            case .full, .palette: "38;5;16;48;5;231"
            case .sixteen: "30;47"
            case .none: ""
            }
        // What a character draws: the dark modules, or the light ones if its background cannot be chosen.
        let drawsDark = !paint.isEmpty
        return stride(from: 0, to: size, by: 2).map { row in
            let line = (0..<size).map { column in
                // Below the last row there is nothing to draw.
                let (upper, lower) = (
                    isDark(row, column) == drawsDark, row + 1 < size && isDark(row + 1, column) == drawsDark
                )
                return upper ? (lower ? "█" : "▀") : (lower ? "▄" : " ")
            }.joined()
            return paint.isEmpty ? line : "\u{1B}[\(paint)m\(line)\u{1B}[0m"
        }.joined(separator: "\n")
    }
}
