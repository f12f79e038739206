import ArgumentParser
import ControlProtocol

struct AwayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "away",
        abstract: "Make an empty home look lived in: lights go on and off as they did when somebody was there.",
        discussion: """
            'away on' replays the journal of the last four weeks, each day by one of the same weekday: lights that people \
            turned on come on again, as bright as then, up to a quarter of an hour earlier or later, and never in an hour \
            of the day in which nobody ever turned one on. What automations did is not replayed, and plugs take no part \
            unless --plugs is given. What was only used after sunset stays off until then.

            It ends at --until, by 'away off', or at the first sign of life: a switch or button, motion, a door, a command \
            of lightctl, the page or a program, or another app that changes a light. With --ignore-motion, motion does \
            not count: there are pets. Nor does anything in the first ten minutes, so that you can leave. The lights \
            that the replay has turned on are then turned off, except those that were just used.

            Without arguments, 'away' shows whether it is on and what is to come; --plan shows what 'away on' would do. \
            In a pipe both print what is to come: time in UTC, on|off, brightness, name, id, separated by tabs. Exit \
            code 1 if the journal knows less than three days on which lights were used; --plain then makes up an evening.

            Examples:
              lightctl away on --until 2026-12-01T18:00
              lightctl away
              lightctl away off
            """,
        subcommands: [ShowAwayCommand.self, AwayOnCommand.self, AwayOffCommand.self],
        defaultSubcommand: ShowAwayCommand.self
    )

    struct ShowAwayCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show whether it is on, and what is to come.")
        @Flag(help: "If it is off, show what 'away on' would do.") var plan = false
        @OptionGroup var options: GlobalOptions

        func run() throws {
            let session = try Session(options)
            let away: AwayBody = try session.get(Routes.away)
            guard plan, !away.on else {
                return try session.show(away, AwayText.status(away, on: session.terminal, .local()))
            }
            try session.plan(Command.AwaySettings())
        }
    }

    struct AwayOnCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "on", abstract: "Begin, or change how it goes on.",
            discussion: """
                Examples:
                  lightctl away on
                  lightctl away on --until 10d --ignore-motion
                  lightctl away on --plan --seed 7
                """)

        @Option(
            help: ArgumentHelp("When it ends at the latest: 18:00, 2026-12-01T18:00 or 10d.", valueName: "when"),
            transform: Until.init(argument:))
        var until: Until?
        @Flag(help: "Begin nothing; show what would happen.") var plan = false
        @Option(
            help: ArgumentHelp("A number: the same one and the same journal give the same plan.", valueName: "number"))
        var seed: Int?
        @Flag(help: "Let plugs take part, too.") var plugs = false
        @Flag(help: "Let motion not end it: there are pets.") var ignoreMotion = false
        @Flag(help: "Make up an evening in place of those in the journal.") var plain = false
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            guard (0...1 << 53).contains(seed ?? 0) else {
                throw ValidationError("--seed is out of range: use 0 to \(1 << 53)")
            }
        }

        func run() throws {
            let session = try Session(options)
            let clock = WallClock.local()
            let settings = Command.AwaySettings(
                until: until?.moment(in: clock).iso, seed: seed, plugs: plugs, ignoreMotion: ignoreMotion,
                plain: plain)
            if plan { try session.plan(settings) } else { try session.send(.away(to: .on, settings), clock) }
        }
    }

    struct AwayOffCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "off", abstract: "End it, and turn off what it has turned on.")
        @OptionGroup var options: GlobalOptions

        func run() throws { try Session(options).send(.away(to: .off), .local()) }
    }
}

extension Session {
    fileprivate func plan(_ settings: Command.AwaySettings) throws {
        let reply = try client.send(.away(to: .plan, settings), within: timeout ?? Self.defaultTimeout)
        guard let away = reply.away else { return try console.printJSON(reply) }
        if console.json { return try console.printJSON(away.plan) }
        try console.print(AwayText.plan(away, on: terminal, .local()))
    }

    fileprivate func send(_ command: Command, _ clock: WallClock) throws {
        let reply = try client.send(command, within: timeout ?? Self.defaultTimeout)
        if console.json {
            try console.printJSON(reply)
        } else if let away = reply.away {
            try console.confirm(AwayText.status(away, on: terminal, clock))
        }
    }
}

/// The output of `lightctl away`.
enum AwayText {
    /// What goes on, and what is to come.
    static func status(_ away: AwayBody, on terminal: Terminal, _ clock: WallClock) -> String {
        guard terminal.isTerminal else { return plain(away) }
        let lines = [wrapped([StyledText(sentence(away, clock))], for: terminal, indent: 0)]
        return (lines + (away.plan.isEmpty ? [] : ["", plan(away, on: terminal, clock)])).joined(separator: "\n")
    }

    /// "away since 18:03, until 2026-12-01 18:00; on: Desk, Sofa"
    static func sentence(_ away: AwayBody, _ clock: WallClock) -> String {
        guard away.on else {
            return away.ended.map {
                "not away: the last replay ended at \(clock.when($0.at)) because \(printable($0.because))"
            } ?? "not away; 'lightctl away on' replays the last weeks until you are back"
        }
        let lit = away.lit.isEmpty ? "" : "; on: \(away.lit.map(printable).joined(separator: ", "))"
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
