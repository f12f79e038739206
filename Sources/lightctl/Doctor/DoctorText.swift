import ControlProtocol

/// The checks of `lightctl doctor`, one line each, on a terminal with the remedy below.
enum DoctorText {
    static func text(_ checks: [CheckBody], on terminal: Terminal) -> String {
        guard terminal.isTerminal else {
            return Table.plain(checks.map { [$0.result.rawValue, $0.name, $0.subject, $0.text, $0.remedy] })
        }
        let width = checks.map { columns(title($0)) }.max() ?? 0
        return checks.map { check in
            let title = title(check)
            let line =
                mark(check.result, terminal).painted(terminal.colours) + " " + title
                + String(repeating: " ", count: width - columns(title) + 2) + printable(check.text)
            guard let remedy = check.remedy else { return line }
            return line + "\n  "
                + StyledText("\(terminal.unicode ? "→" : ">") \(printable(remedy))", .strong)
                .painted(terminal.colours)
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
