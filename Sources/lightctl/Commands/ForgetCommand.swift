import ArgumentParser
import ControlProtocol

struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forget a bridge, its key and its lights.",
        discussion: """
            The bridge itself keeps its lights, rooms and scenes. 'lightctl pair' adds it again, but not what goes with \
            it: the bindings of its switches.

            On a terminal, says what goes and asks before it does anything. --yes answers the question; in a pipe or \
            with --json none is asked. --dry-run only says what would go.

            Examples:
              lightctl forget 001788fffe123456 --dry-run
              lightctl forget "Hue Bridge" --yes
            """
    )

    @Argument(help: "A bridge's id or name.") var bridge: String
    @Flag(help: "Forget it without asking.") var yes = false
    @Flag(help: "Say what would be forgotten, and do nothing.") var dryRun = false
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        let console = session.console
        let asks = console.canAsk && !yes
        // A pipe is told nothing, so nothing needs to be looked up for it.
        let isTold = dryRun || (console.terminal.isTerminal && !console.json)
        let forgotten = isTold ? try look(session) : nil
        if dryRun, let forgotten { return try session.show(forgotten, forgotten.lines.joined(separator: "\n")) }
        if asks, let forgotten {
            try console.print(forgotten.lines.joined(separator: "\n"))
            guard try console.ask("Forget it?") else {
                throw ErrorReply(.cannot, "\(printable(forgotten.bridge.name)) was not forgotten")
            }
        }
        let reply = try session.client.send(
            .forget(bridge: forgotten?.bridge.id ?? bridge), within: session.timeout ?? Session.defaultTimeout)
        if console.json { return try console.printJSON(reply) }
        try console.confirm("\(printable(bridge)): forgotten")
        if let lost = forgotten?.lost { try console.confirm(lost) }
    }

    private func look(_ session: Session) throws -> ForgottenBridge {
        try ForgottenBridge(bridge, among: try session.get(Routes.bridges), try session.get(Routes.bindings))
    }
}
