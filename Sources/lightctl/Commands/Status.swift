import ArgumentParser
import ControlProtocol

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show how lightd, its bridges and its lights are.",
        discussion: """
            In a pipe: lines of "key<tab>value". Exits with 3 where lightd is out of reach.

            Example:
              lightctl status --json
            """
    )

    @OptionGroup var options: Options

    func run() async throws {
        let session = Session(options)
        let status: StatusBody = try await session.get(Routes.status)
        try session.tell(status, Details.rendered(Details.status(status, WallClock.local()), on: session.terminal))
    }
}
