import ArgumentParser
import ControlProtocol

struct DashboardVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dashboard",
        abstract: "Show or arrange what is pinned to the dashboard.",
        discussion: """
            In a pipe: place, name, slider|scrubbing, target, with tabs between.

            Examples:
              lightctl dashboard
              lightctl dashboard pin @kitchen
              lightctl dashboard move desk 1
            """,
        subcommands: [ShowPins.self, Pin.self, Unpin.self, Move.self, DisplayAs.self],
        defaultSubcommand: ShowPins.self
    )

    @OptionGroup var options: Options

    static func order(_ command: Command, _ options: Options) async throws {
        let session = Session(options)
        let reply = try await session.client.order(command, within: session.timeout ?? Session.patience)
        if session.console.json {
            if let pins = reply.dashboard { try session.console.value(pins) } else { try session.console.value(reply) }
        } else if let pins = reply.dashboard {
            try session.console.confirm(Lists.dashboard(pins, on: session.terminal))
        }
    }

    struct ShowPins: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show what is pinned.")
        @OptionGroup var options: Options

        func run() async throws {
            let session = Session(options)
            let pins: [PinBody] = try await session.get(Routes.dashboard)
            try session.tell(pins, Lists.dashboard(pins, on: session.terminal))
        }
    }

    struct Pin: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Pin a light or a room.", discussion: "Example:\n  lightctl dashboard pin @kitchen")
        @Argument(help: "A light's name, @room, all, or an id.") var target: String
        @OptionGroup var options: Options
        func run() async throws { try await DashboardVerb.order(.pin(target: target), options) }
    }

    struct Unpin: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a pin away.", discussion: "Example:\n  lightctl dashboard unpin @kitchen")
        @Argument(help: "What is pinned.") var target: String
        @OptionGroup var options: Options
        func run() async throws { try await DashboardVerb.order(.unpin(target: target), options) }
    }

    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move a pin to another place.", discussion: "Example:\n  lightctl dashboard move desk 1")
        @Argument(help: "What is pinned.") var target: String
        @Argument(help: "The place, counted from 1.") var place: Int
        @OptionGroup var options: Options

        func validate() throws {
            guard place >= 1 else { throw ValidationError("places are counted from 1") }
        }

        func run() async throws { try await DashboardVerb.order(.move(target: target, place: place), options) }
    }

    struct DisplayAs: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "display",
            abstract: "Choose how the controls of a pin are shown.",
            discussion: "Example:\n  lightctl dashboard display desk scrubbing"
        )

        @Argument(help: "What is pinned.") var target: String
        @Argument(help: "How.") var way: Command.Display
        @OptionGroup var options: Options

        func run() async throws {
            try await DashboardVerb.order(.display(target: target, as: way), options)
        }
    }
}
