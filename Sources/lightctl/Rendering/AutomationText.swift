import ControlProtocol

/// The output of `lightctl automation` and `lightctl timers`.
enum AutomationText {
    // MARK: What a file changes

    /// "added Evening" and so on, one line for each automation; after a dry run "would add".
    static func changes(_ changes: AutomationChangesBody, dryRun: Bool) -> String {
        func lines(_ names: [String], _ done: String, _ would: String) -> [String] {
            names.map { "\(dryRun ? would : done) \(printable($0))" }
        }
        var text = lines(changes.added, "added", "would add")
        for changed in changes.changed {
            text += lines([changed.name], "changed", "would change") + changed.changes.map { "  \(printable($0))" }
        }
        text += lines(changes.removed, "removed", "would remove")
        if text.isEmpty {
            return "nothing \(dryRun ? "would change" : "changed"): \(counted(changes.unchanged, "automation"))"
        }
        return text.joined(separator: "\n")
    }

    // MARK: Lists

    static func list(_ automations: [AutomationBody], on terminal: Terminal, _ clock: WallClock) -> String {
        guard terminal.isTerminal else {
            return Table.plain(
                automations.map {
                    [
                        $0.name, $0.pausedUntil != nil ? "paused" : $0.enabled ? "enabled" : "disabled",
                        $0.when.joined(separator: "; "), $0.next,
                        $0.last?.started,
                        $0.last.map { $0.error ?? ($0.ended == nil ? "running" : "ok") },
                        $0.missing?.joined(separator: "; "),
                    ]
                })
        }
        guard !automations.isEmpty else { return "no automations; 'lightctl automation apply FILE' makes some" }
        let rows = automations.map { automation in
            [
                StyledText(printable(automation.name), .strong),
                StyledText(printable(automation.when.joined(separator: "; "))), state(automation, clock),
                StyledText(automation.next.map(clock.when) ?? ""),
                StyledText(automation.last.map { clock.when($0.started) } ?? ""),
                StyledText(
                    (automation.missing?.joined(separator: "; ") ?? automation.last?.error).map { printable($0) } ?? "",
                    .alarm),
            ]
        }
        return Table(
            headings: ["AUTOMATION", "WHEN", "STATE", "NEXT", "LAST", ""], rows: rows, elastic: [5, 1, 0],
            optional: [4]
        ).rendered(for: terminal)
    }

    private static func state(_ automation: AutomationBody, _ clock: WallClock) -> StyledText {
        if let end = automation.pausedUntil { return StyledText("paused until \(clock.when(end))", .warning) }
        if !automation.running.isEmpty { return StyledText("running", .good) }
        return automation.enabled ? StyledText("enabled") : StyledText("disabled", .faint)
    }

    static func timers(_ timers: [AutomationBody], on terminal: Terminal, _ clock: WallClock) -> String {
        let steps = { (timer: AutomationBody) in timer.steps.joined(separator: "; ") }
        guard terminal.isTerminal else {
            return Table.plain(timers.map { [$0.name, $0.next, $0.running.last?.step, steps($0), $0.by] })
        }
        guard !timers.isEmpty else { return "no timers" }
        let rows = timers.map { timer in
            [
                StyledText(printable(timer.name), .strong),
                timer.next.map { StyledText(clock.when($0)) }
                    ?? StyledText(timer.running.last.map { underWay($0, clock) } ?? "", .good),
                StyledText(printable(steps(timer))), StyledText(printable(timer.by ?? ""), .faint),
            ]
        }
        return Table(headings: ["TIMER", "DUE", "DOES", "BY"], rows: rows, elastic: [2, 3], optional: [3])
            .rendered(for: terminal)
    }

    /// "running: wait 10m until 22:40"
    private static func underWay(_ run: AutomationRunBody, _ clock: WallClock) -> String {
        "running" + (step(of: run, clock).map { ": \(printable($0))" } ?? "")
    }

    /// "wait 10m until 22:40"
    private static func step(of run: AutomationRunBody, _ clock: WallClock) -> String? {
        run.step.map { $0 + (run.until.map { " until \(clock.when($0))" } ?? "") }
    }

    /// "timer 3 at 22:30: turn off all"
    static func timer(_ timer: AutomationBody, _ clock: WallClock) -> String {
        let steps = timer.steps.map(printable).joined(separator: ", ")
        return "\(printable(timer.name))\(timer.next.map { " at \(clock.when($0))" } ?? ""): \(steps)"
    }

    // MARK: One automation

    static func details(_ automation: AutomationBody, _ clock: WallClock) -> [Details.Field] {
        var fields: [Details.Field] = [
            ("name", StyledText(printable(automation.name), .strong)), ("state", state(automation, clock)),
        ]
        func add(_ key: String, _ value: String?) {
            if let value { fields.append((key, StyledText(printable(value)))) }
        }
        for trigger in automation.when { add("when", trigger) }
        for condition in automation.conditions { add("if", condition) }
        for step in automation.steps { add("do", step) }
        if automation.mode != .single { add("mode", automation.mode.rawValue) }
        add("late", automation.late)
        for missing in automation.missing ?? [] { fields.append(("missing", StyledText(printable(missing), .alarm))) }
        add("next", automation.next.map(clock.when))
        for run in automation.running {
            add(
                "running",
                "since \(clock.when(run.started)), \(run.reason)" + (step(of: run, clock).map { ": \($0)" } ?? ""))
        }
        if let run = automation.runs.first {
            add("last run", "\(clock.when(run.started)), \(run.reason): \(run.error ?? "ok")")
        }
        add("did not run", automation.skipped.map { "\(clock.when($0.time)): \($0.reason)" })
        return fields
    }

    /// Oldest first, as in `lightctl log`.
    static func log(_ automation: AutomationBody, on terminal: Terminal, _ clock: WallClock) -> String {
        let runs = automation.runs.reversed() + automation.running
        guard terminal.isTerminal else {
            return Table.plain(
                runs.map { [$0.started, $0.ended, $0.reason, $0.error ?? ($0.ended == nil ? nil : "ok")] })
        }
        var lines = runs.map { run in
            let end = run.ended == nil ? underWay(run, clock) : "ok"
            return folded(
                [
                    StyledText(clock.exactly(run.started), .faint), StyledText("  \(printable(run.reason)): "),
                    StyledText(printable(run.error ?? end), run.error == nil ? .good : .alarm),
                ], for: terminal, indent: columns(clock.exactly(run.started)) + 2)
        }
        if let skipped = automation.skipped {
            lines.append("did not run \(clock.exactly(skipped.time)): \(printable(skipped.reason))")
        }
        return lines.isEmpty ? "\(printable(automation.name)) has not run yet" : lines.joined(separator: "\n")
    }

    // MARK: A day

    static func preview(_ day: AutomationPreviewBody, on terminal: Terminal) -> String {
        guard terminal.isTerminal else {
            return Table.plain(
                day.runs.map {
                    [
                        $0.time, $0.automation, $0.when, $0.prevented == nil ? "run" : "prevented",
                        ($0.prevented.map { [$0] } ?? $0.conditions).joined(separator: "; "),
                        $0.steps.joined(separator: "; "), $0.missing?.joined(separator: "; "),
                    ]
                })
        }
        let sun = day.sun.map { "\($0.name) \($0.at)" }
        let head = StyledText(([day.date, day.weekday] + sun).joined(separator: " · "), .strong)
        let runs = series(day.runs).map { series in
            let run = series[0]
            let conditions =
                (series.count > 1
                    ? ["\(run.when), \(series.count) times, the last at \(series[series.count - 1].at)"] : [])
                + (run.prevented.map { ["not: \($0)"] } ?? run.conditions.map { "if \($0)" })
            return folded(
                [
                    StyledText(run.at, run.prevented == nil ? .plain : .faint),
                    StyledText("  \(printable(run.automation))", run.prevented == nil ? .strong : .faint),
                    StyledText(": " + run.steps.map(printable).joined(separator: ", ")),
                    StyledText(
                        conditions.isEmpty ? "" : "  (\(printable(conditions.joined(separator: ", "))))", .faint),
                    StyledText(run.missing.map { "  " + printable($0.joined(separator: "; ")) } ?? "", .alarm),
                ], for: terminal, indent: 7)
        }
        return ([folded([head], for: terminal, indent: 0)] + (runs.isEmpty ? ["the clock starts nothing"] : runs))
            .joined(separator: "\n")
    }

    // MARK: A time that is over

    static func simulation(_ simulation: AutomationSimulationBody, on terminal: Terminal) -> String {
        guard terminal.isTerminal else {
            return Table.plain(
                simulation.runs.map {
                    [
                        $0.time, $0.automation, $0.reason, $0.result, $0.prevented ?? $0.error,
                        $0.commands.isEmpty ? nil : $0.commands.map(\.text).joined(separator: "; "),
                    ]
                })
        }
        guard !simulation.runs.isEmpty else { return "nothing would have run" }
        var (lines, date): ([String], String?) = ([], nil)
        for run in simulation.runs {
            if run.date != date {
                lines.append(folded([StyledText("\(run.date) · \(run.weekday)", .strong)], for: terminal, indent: 0))
                date = run.date
            }
            lines.append(folded(line(run), for: terminal, indent: 7))
        }
        return lines.joined(separator: "\n")
    }

    /// "19:30  Hall: turn Hall on, 19:34 turn Hall off  (motion Hall)"
    private static func line(_ run: AutomationSimulationBody.Run) -> [StyledText] {
        let isPrevented = run.prevented != nil
        let commands = run.commands.map { ($0.at == run.at ? "" : "\($0.at) ") + printable($0.text) }
        let done = commands.isEmpty ? (isPrevented ? "" : ": nothing") : ": " + commands.joined(separator: ", ")
        let why = run.prevented.map { "not: \($0)" } ?? run.reason ?? ""
        return [
            StyledText(run.at, isPrevented ? .faint : .plain),
            StyledText("  \(printable(run.automation))", isPrevented ? .faint : .strong), StyledText(done),
            StyledText(why.isEmpty ? "" : "  (\(printable(why)))", .faint),
            StyledText(run.error.map { "  \(printable($0))" } ?? "", .alarm),
        ]
    }
}

extension AutomationSimulationBody.Run {
    fileprivate var result: String { prevented != nil ? "prevented" : error != nil ? "failed" : "run" }
}

extension AutomationText {
    private typealias Run = AutomationPreviewBody.Run

    /// The runs of a day, in which those that one trigger starts again and again are one entry.
    private static func series(_ runs: [Run]) -> [[Run]] {
        func isOne(_ one: Run, _ other: Run) -> Bool {
            one.when.hasPrefix("every ") && one.automation == other.automation && one.when == other.when
                && one.prevented == other.prevented && one.conditions == other.conditions
        }
        return runs.reduce(into: []) { all, run in
            if let index = all.firstIndex(where: { isOne($0[0], run) }) {
                all[index].append(run)
            } else {
                all.append([run])
            }
        }
    }
}

extension AutomationBody {
    /// The latest run, also one that is under way.
    fileprivate var last: AutomationRunBody? { running.last ?? runs.first }
}
