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
            DisableAutomationCommand.self,
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
