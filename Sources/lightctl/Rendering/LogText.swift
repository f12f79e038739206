import ControlProtocol

enum LogText {
    static func lines(_ entries: [LogBody], on terminal: Terminal, _ clock: WallClock) -> String {
        guard !entries.isEmpty || !terminal.isTerminal else { return "no entries" }
        return entries.map { line($0, on: terminal, clock) }.joined(separator: "\n")
    }

    /// "2026-11-21 10:42:03  lightctl: turn kitchen on: succeeded"; tabs between all fields in a pipe.
    static func line(_ entry: LogBody, on terminal: Terminal, _ clock: WallClock) -> String {
        guard terminal.isTerminal else {
            return Table.plain([
                [
                    entry.time, "\(entry.number)", entry.feature, entry.ticket.map { "\($0)" }, entry.holder,
                    entry.outcome, entry.text,
                ]
            ])
        }
        let failed = entry.outcome == "failed"
        let time = StyledText(clock.full(entry.time), .faint)
        var parts = [
            time, StyledText("  \(printable(entry.holder)): "),
            StyledText(printable(entry.text), failed ? .alarm : .plain),
        ]
        if let outcome = entry.outcome {
            parts += [StyledText(": "), StyledText(printable(outcome), failed ? .alarm : .faint)]
        }
        return folded(parts, for: terminal, indent: columns(time.text) + 2)
    }
}
