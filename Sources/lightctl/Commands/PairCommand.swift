import ArgumentParser
import CommandGrammar
import ControlProtocol

struct PairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Pair with a bridge by pressing its link button.",
        discussion: """
            Without a name, pairs with the only unpaired bridge found; if there are several, name one. \
            Pair again after a bridge was reset or its certificate changed.
            --timeout sets how long to wait for the button, in seconds (default: 60, at most 600).

            Examples:
              lightctl pair
              lightctl pair 001788fffe123456
            """
    )

    @Argument(help: "A bridge's id, or the name of a paired bridge.") var bridge: String?
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard options.timeout?.duration ?? .zero <= .seconds(600) else {
            throw ValidationError("pair waits at most 10 minutes for the button: --timeout 600")
        }
    }

    func run() throws {
        let session = try Session(options)
        let wait = session.timeout ?? .seconds(60)
        let choice = try choice(session)
        if let remark = choice.remark { session.console.note(remark) }
        let reply = try Countdown(
            console: session.console, wait: wait, text: { PairingText.request(choice.description, seconds: $0) }
        ).run {
            try session.client.send(
                .pair(bridge: choice.name, seconds: wait / .seconds(1)), within: wait + .seconds(10), meanwhile: $0)
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

    /// The bridge whose button is to be pressed: nobody shall be sent to one that does not exist.
    private func choice(_ session: Session) throws -> PairingText.Choice {
        if let bridge {
            if PairingText.isID(bridge) { return PairingText.Choice(named: bridge) }
            let paired: [BridgeBody] = try session.get(Routes.bridges)
            // Several of one name are told apart by lightd.
            if paired.contains(where: { $0.name.lowercased() == bridge.lowercased() }) {
                return PairingText.Choice(named: bridge)
            }
        }
        var searching = session
        searching.timeout = Session.defaultTimeout
        return try PairingText.choose(bridge, from: try DiscoverCommand.search(searching))
    }
}
