import ArgumentParser
import ControlProtocol

struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forget a bridge, its key and its lights.",
        discussion: """
            The bridge itself keeps its lights, rooms and scenes. 'lightctl pair' adds it again.

            Example:
              lightctl forget 001788fffe123456
            """
    )

    @Argument(help: "A bridge's id or name.") var bridge: String
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        let reply = try session.client.send(
            .forget(bridge: bridge), within: session.timeout ?? Session.defaultTimeout)
        if session.console.json {
            try session.console.printJSON(reply)
        } else {
            try session.console.confirm("\(printable(bridge)): forgotten")
        }
    }
}
