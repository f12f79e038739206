import ControlProtocol

/// The output of `lightctl away`.
enum AwayText {
    /// What goes on, and what is to come.
    static func status(_ away: AwayBody, on terminal: Terminal, _ clock: WallClock) -> String {
        guard terminal.isTerminal else { return plain(away) }
        let lines = [folded([StyledText(sentence(away, clock))], for: terminal, indent: 0)]
        return (lines + (away.plan.isEmpty ? [] : ["", plan(away, on: terminal, clock)])).joined(separator: "\n")
    }

    /// "away since 18:03, until 2026-12-01 18:00; burning: Desk, Sofa"
    static func sentence(_ away: AwayBody, _ clock: WallClock) -> String {
        guard away.on else {
            return away.ended.map {
                "not away: the last replay ended at \(clock.when($0.at)) because \(printable($0.because))"
            } ?? "not away; 'lightctl away on' replays the last weeks until you are back"
        }
        let lit = away.lit.isEmpty ? "" : "; burning: \(away.lit.map(printable).joined(separator: ", "))"
        return "away \(duration(since: away.since, until: away.until, clock))\(lit)"
    }

    /// "since 18:03, until 2026-12-01 18:00"
    static func duration(since start: String?, until end: String?, _ clock: WallClock) -> String {
        let end = end.map { "until \(clock.when($0))" } ?? "until somebody is back"
        return start.map { "since \(clock.when($0)), \(end)" } ?? end
    }

    /// What is to come, or a sentence that nothing is.
    static func plan(_ away: AwayBody, on terminal: Terminal, _ clock: WallClock) -> String {
        guard terminal.isTerminal else { return plain(away) }
        guard !away.plan.isEmpty else { return "nothing is planned until tomorrow night" }
        let rows = away.plan.map { change in
            [
                StyledText(clock.when(change.at)), StyledText(printable(change.name), .strong),
                StyledText(change.power.rawValue, change.power == .on ? .plain : .faint),
                StyledText(change.brightness.map(percent) ?? ""),
            ]
        }
        return Table(headings: ["TIME", "LIGHT", "STATE", "BRIGHTNESS"], rows: rows, elastic: [1], optional: [3])
            .rendered(for: terminal)
    }

    private static func plain(_ away: AwayBody) -> String {
        Table.plain(away.plan.map { [$0.at, $0.power.rawValue, $0.brightness.map(percent), $0.name, $0.light] })
    }
}
