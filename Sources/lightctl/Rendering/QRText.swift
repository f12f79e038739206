import ControlProtocol

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
