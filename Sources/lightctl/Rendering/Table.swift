import ControlProtocol

/// Rows under headings, in aligned columns. ``plain(_:)`` is the form for pipes.
struct Table: Equatable, Sendable {
    var headings: [String]
    var rows: [[StyledText]]
    /// The columns to shorten if the terminal is too narrow, in this order.
    var elastic: [Int] = []
    /// The columns to leave out if that is not enough, in this order.
    var optional: [Int] = []

    func rendered(for terminal: Terminal) -> String {
        let all = [headings.map { StyledText($0, .faint) }] + rows
        var widths = headings.indices.map { column in
            all.map { column < $0.count ? columns($0[column].text) : 0 }.max() ?? 0
        }
        // A column with only a heading is left out.
        var shown = headings.indices.filter { column in rows.contains { !$0[column].text.isEmpty } }
        func excess() -> Int { shown.reduce(0) { $0 + widths[$1] } + 2 * max(0, shown.count - 1) - terminal.columns }
        let least = { (column: Int) in elastic.contains(column) ? min(widths[column], Self.narrowest) : widths[column] }
        for column in optional {
            let narrow = shown.reduce(0) { $0 + least($1) } + 2 * max(0, shown.count - 1)
            guard narrow > terminal.columns else { break }
            shown.removeAll { $0 == column }
        }
        for column in elastic where excess() > 0 && shown.contains(column) {
            widths[column] -= min(excess(), widths[column] - least(column))
        }
        // No terminal is so narrow that its lines break: at last, columns are cut from the right.
        while excess() > 0, let last = shown.last {
            if widths[last] > excess() { widths[last] -= excess() } else { shown.removeLast() }
        }
        let lines = all.map { row in
            var line = ""
            var gap = 0
            for column in shown {
                var cell = row[column]
                cell.text = cut(cell.text, to: widths[column])
                let width = columns(cell.text)
                cell.text += mark(cell.text)
                if !cell.text.isEmpty {
                    line += String(repeating: " ", count: gap) + cell.painted(terminal.colours)
                    gap = 0
                }
                gap += widths[column] - width + 2
            }
            return line
        }
        return lines.joined(separator: "\n")
    }

    /// The width down to which a column is shortened.
    private static let narrowest = 8

    /// A mark without a width that ends a text written from right to left: a terminal would draw the columns after it
    /// from right to left, too.
    private func mark(_ text: String) -> String {
        text.unicodeScalars.contains(where: isRightToLeft) ? "\u{200E}" : ""
    }

    /// The stable form for scripts: every column in order, separated by tabs, "-" for empty ones; no headings.
    static func plain(_ rows: [[String?]]) -> String {
        rows.map { row in
            row.map { cell in cell.map { $0.isEmpty ? "-" : printable($0) } ?? "-" }.joined(separator: "\t")
        }.joined(separator: "\n")
    }
}

/// "40%": whole per cent, as people say it. A lamp has 254 steps, so that one set to 40 % reports 39.92. Above 0 it is at
/// least 1%.
func percent(_ value: Double) -> String { (value > 0 && value < 1 ? "1" : number(value.rounded())) + "%" }

/// "45 s", "12 min", "3 h 12 min", "2 d 4 h": the two largest units.
func uptime(seconds: Double) -> String {
    let seconds = Int(max(0, min(seconds, 1e12)))
    let parts = [(seconds / 86400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min")]
        .drop { $0.0 == 0 }.filter { $0.0 > 0 }.prefix(2)
    return parts.isEmpty ? "\(seconds) s" : parts.map { "\($0.0) \($0.1)" }.joined(separator: " ")
}

/// "'a'", "'a' or 'b'", "'a', 'b' or 'c'"
func alternatives(_ words: [String]) -> String { enumeration(words.map { "'\(printable($0))'" }, "or") }
