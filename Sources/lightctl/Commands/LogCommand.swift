import ArgumentParser
import ControlProtocol

struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show who asked for what, and what came of it.",
        discussion: """
            The newest entries of the journal, oldest first. In a pipe: time in UTC, number, feature, ticket, who, \
            succeeded|failed, what, with tabs between and "-" where there is nothing. With --json an array, \
            with --follow one object a line.

            Examples:
              lightctl log --since 1h
              lightctl log --since 2026-11-21T10:00 --feature bridges
              lightctl log --follow
            """
    )

    enum Feature: String, ExpressibleByArgument, CaseIterable { case lighting, bridges, dashboard, logging }

    @Flag(name: .shortAndLong, help: "Go on with new entries as they come; ^C ends.") var follow = false

    @Option(
        help: ArgumentHelp(
            "Only from then on: 1h, 30m, 2d, or a local time such as 2026-11-21T10:00.", valueName: "when"),
        transform: Since.init(argument:))
    var since: Since?

    @Option(help: "Only entries of one feature.") var feature: Feature?

    @Option(help: ArgumentHelp("At most so many, the newest (default: 100; with --follow 10).", valueName: "n"))
    var limit: Int?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (1...10_000).contains(limit ?? 1) else { throw ValidationError("--limit goes from 1 to 10000") }
    }

    func run() async throws {
        let session = Session(options)
        guard follow else {
            let entries: [LogBody] = try await session.get(Routes.log, query())
            let clock = WallClock.local()
            try session.show(
                entries, entries.map { LogText.line($0, on: session.terminal, clock) }.joined(separator: "\n"))
            return
        }
        // The stream brings what was written before, too; after a break, what has been missed.
        let follower = EventFollower(session: session) { [self] last in Routes.path(Routes.log, query(after: last)) }
        try await follower.run { event in
            guard event.name == EventName.log.rawValue else { return }
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
        if let feature { query.append((.feature, feature.rawValue)) }
        if let number { return query + [(.after, number), (.limit, "10000")] }
        if let since { query.append((.since, since.moment(in: .local()).iso)) }
        let count = limit ?? (since != nil ? 10_000 : follow ? 10 : 100)
        return query + [(.limit, "\(count)")]
    }
}
