import ArgumentParser
import ControlProtocol

struct PairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Pair with a bridge: you press its link button.",
        discussion: """
            Without a name the one bridge that is found and not yet paired is choice; among several, name one. \
            Pairing again is the way out when a bridge was reset or its certificate has changed.
            --timeout says how long to wait for the button (default: 60, at most 600).

            Examples:
              lightctl pair
              lightctl pair 001788fffe123456
            """
    )

    @Argument(help: "A bridge's id, or the name of one that is paired already.") var bridge: String?
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard options.timeout?.duration ?? .zero <= .seconds(600) else {
            throw ValidationError("a bridge's button is waited for 10 minutes at most: --timeout 600")
        }
    }

    func run() async throws {
        let session = Session(options)
        let wait = session.timeout ?? .seconds(60)
        let choice: PairingText.Choice
        if let bridge {
            choice = PairingText.Choice(named: bridge)
        } else {
            var patient = session
            patient.timeout = Session.defaultTimeout
            choice = try PairingText.choose(from: try await DiscoverCommand.look(patient))
        }
        let reply = try await Countdown(console: session.console, wait: wait, bridge: choice.words).run {
            try await session.client.send(
                .pair(bridge: choice.name, seconds: wait / .seconds(1)), within: wait + .seconds(10))
        }
        if session.console.json {
            if let paired = reply.bridge {
                try session.console.printJSON(paired)
            } else {
                try session.console.printJSON(reply)
            }
        } else {
            try session.console.print(PairingText.result(reply.bridge, choice))
        }
    }
}
