import ControlProtocol

/// The checks of `lightctl doctor`, one line each, on a terminal with the remedy below.
enum DoctorText {
    static func text(_ checks: [CheckBody], on terminal: Terminal) -> String {
        guard terminal.isTerminal else {
            return Table.plain(checks.map { [$0.result.rawValue, $0.name, $0.subject, $0.text, $0.remedy] })
        }
        let width = min(checks.map { columns(title($0)) }.max() ?? 0, terminal.columns / 2)
        return checks.map { check in
            let title = cut(title(check), to: width)
            let gap = String(repeating: " ", count: width - columns(title) + 2)
            let line = folded(
                [mark(check.result, terminal), StyledText(" \(title)\(gap)\(printable(check.text))")],
                for: terminal, indent: width + 4)
            guard let remedy = check.remedy else { return line }
            let words = StyledText("\(terminal.unicode ? "→" : ">") \(printable(remedy))", .strong)
            return line + "\n" + folded([StyledText("  "), words], for: terminal)
        }.joined(separator: "\n")
    }

    private static func title(_ check: CheckBody) -> String {
        printable(check.subject.map { "\($0): \(check.name)" } ?? check.name)
    }

    private static func mark(_ result: CheckBody.Result, _ terminal: Terminal) -> StyledText {
        switch result {
        case .ok: StyledText(terminal.unicode ? "✓" : "+", .good)
        case .warning: StyledText("!", .warning)
        case .failure: StyledText(terminal.unicode ? "✗" : "x", .alarm)
        }
    }
}
