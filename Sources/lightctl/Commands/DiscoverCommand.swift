import ArgumentParser
import ControlProtocol

struct DiscoverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover",
        abstract: "Look for bridges.",
        discussion: """
            Searches in parallel by mDNS, at the configured and the last known addresses and, if the configuration \
            allows it, in the maker's cloud list. In a pipe: name, model, address, paired|new, id, separated by tabs.

            Examples:
              lightctl discover
              lightctl discover --explain
            """
    )

    @Flag(help: "Show each search: what was asked and what came back.") var explain = false
    @OptionGroup var options: GlobalOptions

    static let seconds = 3.0

    func run() throws {
        let session = try Session(options)
        let found = try Self.search(session)
        if explain && !session.console.json {
            try session.console.print(DiscoveryText.explanation(found, on: session.terminal))
        } else if session.console.json || found.contains(where: { $0.id != nil }) {
            try session.show(found, DiscoveryText.table(found, on: session.terminal))
        }
        guard found.contains(where: { $0.id != nil }) else { throw Self.nothingFound(explained: explain) }
    }

    static func search(_ session: Session) throws -> [DiscoveryBody] {
        let timeout = session.timeout ?? Session.defaultTimeout
        // lightd must answer before the timeout.
        let seconds = min(Self.seconds, timeout / .seconds(1) * 0.8)
        let countdown = Countdown(
            console: session.console, wait: .seconds(seconds), text: DiscoveryText.progress, isNoted: false)
        return try countdown.run {
            try session.client.send(.discover(seconds: seconds), within: timeout, meanwhile: $0)
        }.discovered ?? []
    }

    static func nothingFound(explained: Bool) -> ErrorReply {
        ErrorReply(
            .noBridgeFound, "no bridge was found",
            hint: explained
                ? "check that the bridge has power and is on this network; "
                    + "discovery.hosts in lightd.yaml adds addresses to try"
                : "'lightctl discover --explain' shows where lightd searched"
        )
    }
}

/// The output of `lightctl discover`.
enum DiscoveryText {
    /// While lightd searches.
    static func progress(seconds: Int) -> String { "\(seconds) s left: looking for bridges" }

    static func table(_ found: [DiscoveryBody], on terminal: Terminal) -> String {
        let bridges = found.filter { $0.id != nil }
        guard terminal.isTerminal else {
            return Table.plain(bridges.map { [$0.name, $0.model, $0.address, $0.paired ? "paired" : "new", $0.id] })
        }
        guard !bridges.isEmpty else {
            let remark = "no bridge was found; 'lightctl discover --explain' shows where lightd searched"
            return wrapped([StyledText(remark)], for: terminal, indent: 0)
        }
        let rows = bridges.map { bridge in
            [
                StyledText(printable(bridge.name), .strong), StyledText(printable(bridge.model)),
                StyledText(printable(bridge.address ?? "")),
                StyledText(bridge.paired ? "paired" : "not paired", bridge.paired ? .plain : .warning),
                StyledText(printable(bridge.id ?? "")),
            ]
        }
        return Table(headings: ["BRIDGE", "MODEL", "ADDRESS", "", "ID"], rows: rows, elastic: [0], optional: [1, 2])
            .rendered(for: terminal)
    }

    /// `--explain`: every search, what was asked and what came back, grouped by the bridge it found.
    static func explanation(_ found: [DiscoveryBody], on terminal: Terminal) -> String {
        found.sorted { ($0.id == nil ? 1 : 0) < ($1.id == nil ? 1 : 0) }.map { bridge in
            let head =
                bridge.id.map { id in
                    "\(printable(bridge.name)) (\(printable(id)))\(bridge.address.map { " at " + printable($0) } ?? "")"
                        + (bridge.paired ? ", paired" : ", not paired")
                } ?? "searches that found no bridge"
            let attempts = bridge.attempts.map { attempt in
                let isOff = attempt.off == true
                let mark = attempt.succeeded ? "found" : isOff ? "off" : "failed"
                let words = "  \(way(attempt.way)) \(printable(attempt.asked)): \(printable(attempt.result))"
                return wrapped(
                    [
                        StyledText("  "), StyledText(mark, attempt.succeeded || isOff ? .plain : .warning),
                        StyledText(words),
                    ], for: terminal)
            }
            return ([wrapped([StyledText(head, .strong)], for: terminal)] + attempts).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private static func way(_ way: String) -> String {
        switch way {
        case "mdns": "mDNS"
        case "configured": "configured address"
        case "last_known": "last known address"
        case "cloud": "the maker's list"
        default: printable(way)
        }
    }
}
