import ArgumentParser
import ControlProtocol

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how lightd, its bridges and its lights are.",
        discussion: """
            In a pipe: lines of "key<tab>value". Exits with 3 where lightd is out of reach.

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
