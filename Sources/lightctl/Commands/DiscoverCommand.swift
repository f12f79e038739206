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
