import ArgumentParser
import ControlProtocol

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the state of lightd, its bridges and its lights.",
        discussion: """
            In a pipe: lines of "key<tab>value". Exit code 3 if lightd cannot be reached.

            Example:
              lightctl status --json
            """
    )

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = Session(options)
        let status: StatusBody = try await session.get(Routes.status)
        try session.show(status, Details.rendered(Details.status(status, WallClock.local()), on: session.terminal))
    }
}
