/// Rows under headings, in aligned columns. ``plain(_:)`` is the form for pipes.
struct Table: Equatable, Sendable {
    var headings: [String]
    var rows: [[StyledText]]
    /// The columns to shorten if the terminal is too narrow, in this order.
    var elastic: [Int] = []

    func rendered(for terminal: Terminal) -> String {
        let all = [headings.map { StyledText($0, .faint) }] + rows
        var widths = headings.indices.map { column in
            all.map { column < $0.count ? columns($0[column].text) : 0 }.max() ?? 0
        }
        // A column with only a heading is left out.
        let shown = headings.indices.filter { column in rows.contains { !$0[column].text.isEmpty } }
        var excess = shown.reduce(0) { $0 + widths[$1] } + 2 * max(0, shown.count - 1) - terminal.columns
        for column in elastic where excess > 0 && shown.contains(column) {
            let given = min(excess, max(0, widths[column] - 8))
            widths[column] -= given
            excess -= given
        }
        let lines = all.map { row in
            var line = ""
            var gap = 0
            for column in shown {
                var cell = row[column]
                cell.text = cut(cell.text, to: widths[column])
                if !cell.text.isEmpty {
                    line += String(repeating: " ", count: gap) + cell.painted(terminal.colours)
                    gap = 0
                }
                gap += widths[column] - columns(cell.text) + 2
            }
            return line
        }
        return lines.joined(separator: "\n")
    }

    /// The stable form for scripts: every column in order, separated by tabs, "-" for empty ones; no headings.
    static func plain(_ rows: [[String?]]) -> String {
        rows.map { row in
            row.map { cell in cell.map { $0.isEmpty ? "-" : printable($0) } ?? "-" }.joined(separator: "\t")
        }.joined(separator: "\n")
    }
}
