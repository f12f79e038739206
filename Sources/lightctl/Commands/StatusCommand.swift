import ArgumentParser
import ControlProtocol

struct StatusCommand: ParsableCommand {
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

    func run() throws {
        let session = try Session(options)
        try session.show(Routes.status) {
            Details.rendered(Details.status($0, WallClock.local()), on: session.terminal)
        }
    }
}
