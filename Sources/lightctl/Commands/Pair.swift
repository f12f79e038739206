import ArgumentParser
import ControlProtocol

struct Pair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Pair with a bridge: you press its link button.",
        discussion: """
            Without a name the one bridge that is found and not yet paired is meant; among several, name one. \
            Pairing again is the way out when a bridge was reset or its certificate has changed.
            --timeout says how long to wait for the button (default: 60, at most 600).

            Examples:
              lightctl pair
              lightctl pair 001788fffe123456
            """
    )

    @Argument(help: "A bridge's id, or the name of one that is paired already.") var bridge: String?
    @OptionGroup var options: Options

    func validate() throws {
        guard options.timeout?.duration ?? .zero <= .seconds(600) else {
            throw ValidationError("a bridge's button is waited for 10 minutes at most: --timeout 600")
        }
    }

    func run() async throws {
        let session = Session(options)
        let wait = session.timeout ?? .seconds(60)
        let meant: Pairing.Bridge
        if let bridge {
            meant = Pairing.Bridge(named: bridge)
        } else {
            var patient = session
            patient.timeout = Session.patience
            meant = try Pairing.choose(from: try await Discover.look(patient))
        }
        let reply = try await Countdown(console: session.console, wait: wait, bridge: meant.words).run {
            try await session.client.order(
                .pair(bridge: meant.name, seconds: wait / .seconds(1)), within: wait + .seconds(10))
        }
        if session.console.json {
            if let paired = reply.bridge { try session.console.value(paired) } else { try session.console.value(reply) }
        } else {
            try session.console.say(Pairing.result(reply.bridge, meant))
        }
    }
}
