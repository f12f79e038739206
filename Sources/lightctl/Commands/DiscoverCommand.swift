import ArgumentParser
import ControlProtocol

struct DiscoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover",
        abstract: "Look for bridges.",
        discussion: """
            Asks mDNS, the configured addresses, the last known ones and, where the configuration allows it, the maker's \
            list at once. In a pipe: name, model, address, paired|new, id, with tabs between.

            Examples:
              lightctl discover
              lightctl discover --explain
            """
    )

    @Flag(help: "Tell every way tried, what was asked and what came of it.") var explain = false
    @OptionGroup var options: GlobalOptions

    static let seconds = 3.0

    func run() async throws {
        let session = Session(options)
        let found = try await Self.look(session)
        if explain && !session.console.json {
            try session.console.print(DiscoveryText.explanation(found, on: session.terminal))
        } else if session.console.json || found.contains(where: { $0.id != nil }) {
            try session.show(found, DiscoveryText.table(found, on: session.terminal))
        }
        guard found.contains(where: { $0.id != nil }) else { throw Self.nothing(explained: explain) }
    }

    static func look(_ session: Session) async throws -> [DiscoveryBody] {
        let timeout = session.timeout ?? Session.defaultTimeout
        // The answer must be in before patience is out.
        let seconds = min(Self.seconds, timeout / .seconds(1) * 0.8)
        return try await session.client.send(.discover(seconds: seconds), within: timeout).discovered ?? []
    }

    static func nothing(explained: Bool) -> ErrorReply {
        ErrorReply(
            .noBridgeFound, "no bridge was found",
            hint: explained
                ? "is the bridge powered, and on this network? discovery.hosts in lightd.yaml names addresses to try besides"
                : "'lightctl discover --explain' tells where lightd looked"
        )
    }
}
