import ArgumentParser
import ControlProtocol
import ServerSentEvents

struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the journal: who asked for what, and the outcome.",
        discussion: """
            Prints the newest entries that all options let through, oldest first. With a target, those about its lights: \
            what was asked of them, alone or with others, and what their bridge reported; for a room, also what its \
            sensors told, and for a sensor, what it told. A light or sensor that has gone can be given by its id. \
            In a pipe: time in UTC, number, feature, ticket, who, \
            succeeded|failed, what, separated by tabs, with "-" for empty columns. With --json an array, \
            with --follow one object per line.

            With --access it prints the access log instead: who signed in or out, who made, used or revoked what lets others \
            in, who took or restored a backup, paired, forgot a bridge or pruned the journal, and who was refused. It is \
            kept for at least 90 days, whatever becomes of the journal, and takes --since, --until and --limit. What a client \
            says of itself is in quotation marks. In a pipe: time in UTC, event, done|failed, how many it stands for, who, \
            about what, why.

            Examples:
              lightctl log desk --since 1h --by alice
              lightctl log @kitchen --cause wall --follow
              lightctl log --since yesterday --until today
              lightctl log --since 2026-11-21T10:00 --until 2026-11-21T11:00
              lightctl log --access --since 7d
            """
    )

    enum Feature: String, ExpressibleByArgument, CaseIterable { case lighting, bridges, dashboard, presence, logging }

    @Argument(
        help: ArgumentHelp(
            "A light's or sensor's name, @room, all, or an id; if it is left out, all entries.",
            valueName: "target-or-sensor"))
    var target: String?
    @Flag(name: .shortAndLong, help: "Keep printing new entries; press Ctrl-C to stop.") var follow = false

    @Flag(help: "Show who was let in or refused, in place of the journal.") var access = false

    @Option(
        help: ArgumentHelp(
            "Start at this age or local time: 1h, 30m, 2d, yesterday or 2026-11-21T10:00.", valueName: "when"),
        transform: Since.init(argument:))
    var since: Since?

    @Option(
        help: ArgumentHelp("End before this age or local time.", valueName: "when"), transform: Since.init(argument:))
    var until: Since?

    @Option(
        help: ArgumentHelp("Only what came from a sender, switch or sensor with this in its name.", valueName: "name"))
    var by: String?

    @Option(
        help: ArgumentHelp(
            "Only what was caused like this: command, scene, wall, power, elsewhere or unseen, as 'why' shows it.",
            valueName: "cause"))
    var cause: CauseBody.Kind?

    @Option(help: "Only entries of this feature.") var feature: Feature?

    @Option(help: ArgumentHelp("Print at most this many, the newest (default: 100, with --follow 10).", valueName: "n"))
    var limit: Int?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (1...10_000).contains(limit ?? 1) else {
            throw ValidationError("--limit is out of range: use 1 to 10000")
        }
        guard !follow || until == nil else {
            throw ValidationError("--follow shows new entries, and --until ends before them: use one of the two")
        }
        guard access else { return }
        for (option, isGiven) in [
            ("a target", target != nil), ("--by", by != nil), ("--cause", cause != nil), ("--feature", feature != nil),
        ] where isGiven {
            throw ValidationError("--access shows another log, which \(option) does not filter: use one of the two")
        }
        guard !follow else {
            throw ValidationError("--access shows what was, and --follow what comes: use one of the two")
        }
    }

    func run() throws {
        let session = try Session(options)
        guard !access else {
            return try session.show(Routes.accessLog, query()) { (entries: [AccessLogBody]) in
                Lists.accessLog(entries, on: session.terminal, .local())
            }
        }
        guard follow else {
            let clock = WallClock.local()
            try session.show(Routes.log, query()) { (entries: [LogBody]) in
                LogText.lines(entries, on: session.terminal, clock)
            }
            return
        }
        // The stream starts with older entries; after a break, with the missed ones.
        let follower = EventFollower(session: session) { [self] last in Routes.path(Routes.log, query(after: last)) }
        try follower.run { event in
            guard let event, event.name == EventName.log.rawValue else { return }
            let entry: LogBody = try EventFollower.body(event)
            if session.console.json {
                try session.console.printJSON(entry, oneLine: true)
            } else {
                try session.console.print(LogText.line(entry, on: session.terminal, .local()))
            }
        }
    }

    private func query(after number: String? = nil) -> [(Routes.Query, String)] {
        var query: [(Routes.Query, String)] = []
        if let target { query.append((.target, target)) }
        if let by { query.append((.by, by)) }
        if let cause { query.append((.cause, cause.rawValue)) }
        if let feature { query.append((.feature, feature.rawValue)) }
        if let number { return query + [(.after, number), (.limit, "10000")] }
        if let since { query.append((.since, since.moment(in: .local()).iso)) }
        if let until { query.append((.until, until.moment(in: .local()).iso)) }
        let count = limit ?? (since != nil ? 10_000 : follow ? 10 : 100)
        return query + [(.limit, "\(count)")]
    }
}

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
        return wrapped(parts, for: terminal, indent: columns(time.text) + 2)
    }
}
