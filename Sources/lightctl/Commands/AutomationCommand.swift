import ArgumentParser
import CommandGrammar
import ControlProtocol

struct AutomationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "automation",
        abstract: "Let the home act by itself: apply, show, switch and try automations.",
        discussion: """
            Automations are written in a file, which 'apply' makes the whole truth: what is not in it is removed. \
            'export' prints such a file. /usr/share/doc/lightd/automation.md explains them, with recipes:
              automations:
                - name: Evening
                  when: sunset - 20m
                  if: [between sunset and 23:30, "@Living off"]
                  do: [recall Living/Evening --over 5m]

            Examples:
              lightctl automation apply home.yaml --dry-run
              lightctl automation list
              lightctl automation run evening
              lightctl automation preview --date 2026-12-24
              lightctl automation simulate home.yaml
            """,
        subcommands: [
            ApplyAutomationsCommand.self, AddAutomationsCommand.self, ExportAutomationsCommand.self,
            ListAutomationsCommand.self, ShowAutomationCommand.self, EnableAutomationCommand.self,
            DisableAutomationCommand.self, SkipAutomationCommand.self, UnskipAutomationCommand.self,
            RunAutomationCommand.self, StopAutomationCommand.self, RemoveAutomationCommand.self,
            LogOfAutomationCommand.self, PreviewAutomationsCommand.self, SimulateAutomationsCommand.self,
        ])
}

/// The automation that a command is about.
struct AutomationArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("An automation's name; case is ignored.", valueName: "automation")) var name: String
}

private struct AddAutomationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add the automations of a file to those that there are.",
        discussion: """
            Like 'apply', but what is not in the file stays. One that has the name of another takes its place.

            Examples:
              lightctl automation add recipe.yaml --dry-run
              lightctl automation add recipe.yaml
            """)

    @Argument(help: "A file, or - for standard input.") var file: InputFile
    @Flag(help: "Change nothing; print what would change.") var dryRun = false
    @OptionGroup var options: GlobalOptions

    func run() throws { try Session(options).apply(file, keepsOthers: true, dryRun: dryRun) }
}

private struct ApplyAutomationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Make the automations what a file says.",
        discussion: """
            What is not in the file is removed ('add' keeps it); what is the same goes on undisturbed, and stays disabled \
            if it was, unless the file says 'enabled: true'. A file with mistakes changes nothing: each is named by line \
            and column, and the exit code is 6. A name that nothing in the home has now is a warning, and so is one that \
            was renamed since the file was written: the new name is taken for it. With --dry-run, prints what would change.

            Examples:
              lightctl automation apply home.yaml --dry-run
              lightctl automation export | lightctl automation apply - --dry-run
            """)

    @Argument(help: "A file, or - for standard input.") var file: InputFile
    @Flag(help: "Change nothing; print what would change.") var dryRun = false
    @OptionGroup var options: GlobalOptions

    func run() throws { try Session(options).apply(file, keepsOthers: false, dryRun: dryRun) }
}

private struct ExportAutomationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print all automations as a file.",
        discussion: """
            'lightctl automation apply' takes it. With --json as in 'list'.

            Example:
              lightctl automation export > home.yaml
            """)

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        guard !options.json else {
            return try session.show(Routes.automations) { (_: [AutomationBody]) in "" }
        }
        let file = try session.client.automationFile(within: session.timeout ?? Session.defaultTimeout)
        guard !options.quiet else { return }
        try Console.write(file, to: 1)
    }
}

private struct ListAutomationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the automations.",
        discussion: """
            Names in it are today's: an automation goes on meaning a lamp that is renamed. What it names and is gone is \
            printed last. In a pipe: name, enabled|disabled|paused, what starts it, when the clock starts it next, when it last \
            began, ok, running or what went wrong, what is gone, separated by tabs; "-" if there is nothing.
            """)

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        try session.show(Routes.automations) { (automations: [AutomationBody]) in
            AutomationText.list(automations, on: session.terminal, WallClock.local())
        }
    }
}

private struct ShowAutomationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an automation: what starts it, what it does, and its last runs.",
        discussion: """
            In a pipe: lines of "key<tab>value".

            Example:
              lightctl automation show evening
            """)

    @OptionGroup var which: AutomationArgument
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        let automation = try session.automation(named: which.name)
        try session.show(
            automation,
            Details.rendered(AutomationText.details(automation, WallClock.local()), on: session.terminal))
    }
}

private struct EnableAutomationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Let an automation be triggered again.",
        discussion: "Example:\n  lightctl automation enable evening")

    @OptionGroup var which: AutomationArgument
    @OptionGroup var options: GlobalOptions

    func run() throws { try Session(options).change(.enableAutomation(automation: which.name), "enabled") }
}

private struct DisableAutomationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Keep an automation, but let nothing trigger it.",
        discussion: """
            A run that is under way is stopped. 'run' still runs it.

            Example:
              lightctl automation disable evening
            """)

    @OptionGroup var which: AutomationArgument
    @OptionGroup var options: GlobalOptions

    func run() throws { try Session(options).change(.disableAutomation(automation: which.name), "disabled") }
}

private struct SkipAutomationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "skip",
        abstract: "Leave out once what the clock starts next of an automation.",
        discussion: """
            'run' still runs it, and what happens in the home still starts it. An automation that is disabled, or gets \
            other times, runs as it says then.

            Example:
              lightctl automation skip wake-up
            """)

    @OptionGroup var which: AutomationArgument
    @OptionGroup var options: GlobalOptions

    func run() throws { try Session(options).change(.skipAutomation(automation: which.name), "skipped once") }
}

private struct UnskipAutomationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unskip",
        abstract: "Let an automation run that was to be skipped once.",
        discussion: "Example:\n  lightctl automation unskip wake-up")

    @OptionGroup var which: AutomationArgument
    @OptionGroup var options: GlobalOptions

    func run() throws { try Session(options).change(.unskipAutomation(automation: which.name), "not skipped") }
}

private struct RunAutomationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run an automation now, whatever its conditions say.",
        discussion: """
            Answers when it has ended, or waits. With --dry-run, sends nothing and prints the requests that its commands \
            would send, one after the other, to the home as it is now.

            Examples:
              lightctl automation run evening
              lightctl automation run evening --dry-run
            """)

    @OptionGroup var which: AutomationArgument
    @OptionGroup var rehearsal: DryRunOption
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        guard rehearsal.dryRun else {
            return try session.change(.runAutomation(automation: which.name), "ran")
        }
        let request = CommandRequest(.runAutomation(automation: which.name), dryRun: true)
        let reply = try session.client.send([request], within: session.timeout ?? Session.defaultTimeout)[0].get()
        if session.console.json {
            try session.console.printJSON(reply)
        } else {
            try session.show(dryRun: reply.requests ?? [])
        }
        if let error = DryRunText.error(reply.failing ?? []) { throw error }
    }
}

private struct StopAutomationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stop the run of an automation that is under way.",
        discussion: """
            What it has changed stays so; 'lightctl undo' takes a run back, and stops it, too.

            Example:
              lightctl automation stop "hall at night"
            """)

    @OptionGroup var which: AutomationArgument
    @OptionGroup var options: GlobalOptions

    func run() throws { try Session(options).change(.stopAutomation(automation: which.name), "stopped") }
}

private struct RemoveAutomationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an automation.",
        discussion: """
            A run that is under way is stopped.

            Example:
              lightctl automation remove evening
            """)

    @OptionGroup var which: AutomationArgument
    @OptionGroup var options: GlobalOptions

    func run() throws { try Session(options).change(.removeAutomation(automation: which.name), "removed") }
}

private struct LogOfAutomationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the last runs of an automation, and why it last did not run.",
        discussion: """
            'lightctl log --by AUTOMATION' shows every command that it sent. In a pipe: started, ended, what started it, \
            ok or what went wrong, separated by tabs.

            Example:
              lightctl automation log evening
            """)

    @OptionGroup var which: AutomationArgument
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        let automation = try session.automation(named: which.name)
        try session.show(
            automation.runs + automation.running,
            AutomationText.log(automation, on: session.terminal, WallClock.local()))
    }
}

private struct PreviewAutomationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show a day before it happens: the sun, and what would run when.",
        discussion: """
            Only what the clock starts can be known before; a condition that is not about time is printed with the run. In a \
            pipe: time, automation, what starts it, run|prevented, conditions, steps, what it names and is gone, \
            separated by tabs.

            Examples:
              lightctl automation preview
              lightctl automation preview --date tomorrow
            """)

    @Option(help: ArgumentHelp("The day, for example tomorrow or 2026-12-24 (default: today).", valueName: "day"))
    var date: String?
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        try session.show(Routes.preview, date.map { [(.date, $0)] } ?? []) { (day: AutomationPreviewBody) in
            AutomationText.preview(day, on: session.terminal)
        }
    }
}

private struct SimulateAutomationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Show what the automations of a file would have done last week.",
        discussion: """
            Lets the file's automations live through the journal: what sensors, switches and lamps reported then is \
            reported once more to a copy of the home, except what the automations of that time did to lights. Changes \
            nothing and sends nothing. What only measures (light, temperature) is not in the journal and counts as it is \
            now. A file with mistakes is refused as by 'apply'. In a pipe: time in UTC, automation, what started it, \
            run|prevented|failed, why not, commands, separated by tabs; "-" if there is nothing.

            Examples:
              lightctl automation simulate home.yaml --from journal
              lightctl automation simulate home.yaml --since 2d
              lightctl automation export | lightctl automation simulate -
            """)

    enum Source: String, ExpressibleByArgument, CaseIterable { case journal }

    @Argument(help: "A file, or - for standard input.") var file: InputFile
    @Option(help: ArgumentHelp("Where what happened is taken from: the journal.", valueName: "source"))
    var from = Source.journal
    @Option(
        help: ArgumentHelp(
            "When it begins: an age such as 7d, or a time such as 2026-11-21T10:00 (default: a week before its end).",
            valueName: "when"),
        transform: Since.init(argument:))
    var since: Since?
    @Option(help: ArgumentHelp("When it ends (default: now).", valueName: "when"), transform: Since.init(argument:))
    var until: Since?
    @OptionGroup var options: GlobalOptions

    /// For a month of a large home.
    private static let longest = Duration.seconds(120)

    func run() throws {
        let session = try Session(options)
        let clock = WallClock.local()
        let simulation: AutomationSimulationBody
        do {
            simulation = try session.client.simulate(
                automations: try file.data(), since: since?.moment(in: clock), until: until?.moment(in: clock),
                within: session.timeout ?? Self.longest)
        } catch {
            throw file.named(in: error)
        }
        try session.show(simulation, AutomationText.simulation(simulation, on: session.terminal))
        guard !session.console.json else { return }
        for warning in simulation.warnings { session.console.note("warning: \(file.path):\(printable(warning))") }
        for note in simulation.notes { session.console.note("warning: \(printable(note))") }
    }
}

extension InputFile {
    /// The same error, with this file's name in its words and places.
    fileprivate func named(in error: any Error) -> any Error {
        guard var reply = error as? ErrorReply, reply.error.code == .wrongFile else { return error }
        reply.error.message.replace("the file", with: name)
        reply.error.parts = reply.error.parts?.map {
            .init(target: "\(path):\($0.target)", code: $0.code, message: $0.message)
        }
        return reply
    }
}

extension Session {
    fileprivate func apply(_ file: InputFile, keepsOthers: Bool, dryRun: Bool) throws {
        let changes: AutomationChangesBody
        do {
            changes = try client.apply(
                automations: try file.data(), keepsOthers: keepsOthers, dryRun: dryRun,
                within: timeout ?? Self.defaultTimeout)
        } catch {
            throw file.named(in: error)
        }
        guard !console.json else { return try console.printJSON(changes) }
        let text = AutomationText.changes(changes, dryRun: dryRun)
        if dryRun { try console.print(text) } else { try console.confirm(text) }
        for warning in changes.warnings { console.note("warning: \(file.path):\(printable(warning))") }
    }

    /// - Throws: `noSuchTarget` with what may be meant.
    fileprivate func automation(named name: String) throws -> AutomationBody {
        let all: [AutomationBody] = try get(Routes.automations)
        guard let found = all.first(where: { $0.name.lowercased() == name.lowercased() }) else {
            throw ErrorReply(
                .noSuchTarget, "there is no automation '\(name)'",
                candidates: closest(to: name, in: all.map(\.name)).map { [$0] })
        }
        return found
    }

    /// Sends a command to one automation, and confirms it.
    ///
    /// - Parameter done: "enabled".
    fileprivate func change(_ command: Command, _ done: String) throws {
        let reply = try client.send(command, within: timeout ?? Self.defaultTimeout)
        if console.json {
            try console.printJSON(reply)
        } else if let automation = reply.automation {
            let waits = automation.running.last?.step.map { "; it goes on with '\(printable($0))'" } ?? ""
            try console.confirm("\(done) \(printable(automation.name))\(waits)")
        } else {
            try console.confirm(done)
        }
    }
}

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
        add("skipped once", automation.skipping.map(clock.when))
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
            return wrapped(
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
            return wrapped(
                [
                    StyledText(run.at, run.prevented == nil ? .plain : .faint),
                    StyledText("  \(printable(run.automation))", run.prevented == nil ? .strong : .faint),
                    StyledText(": " + run.steps.map(printable).joined(separator: ", ")),
                    StyledText(
                        conditions.isEmpty ? "" : "  (\(printable(conditions.joined(separator: ", "))))", .faint),
                    StyledText(run.missing.map { "  " + printable($0.joined(separator: "; ")) } ?? "", .alarm),
                ], for: terminal, indent: 7)
        }
        return ([wrapped([head], for: terminal, indent: 0)] + (runs.isEmpty ? ["the clock starts nothing"] : runs))
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
                lines.append(wrapped([StyledText("\(run.date) · \(run.weekday)", .strong)], for: terminal, indent: 0))
                date = run.date
            }
            lines.append(wrapped(line(run), for: terminal, indent: 7))
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
