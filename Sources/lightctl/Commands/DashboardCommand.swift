import ArgumentParser
import ControlProtocol

struct DashboardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dashboard",
        abstract: "Show or arrange the dashboard.",
        discussion: """
            In a pipe: place, name, slider|scrubbing, target, separated by tabs.

            Examples:
              lightctl dashboard
              lightctl dashboard pin @kitchen
              lightctl dashboard move desk 1
              lightctl dashboard exclude 'fish tank' all_off
            """,
        subcommands: [
            ShowPinsCommand.self, PinCommand.self, UnpinCommand.self, MoveCommand.self, DisplayCommand.self,
            ExcludeCommand.self, IncludeCommand.self,
        ],
        defaultSubcommand: ShowPinsCommand.self
    )

    @OptionGroup var options: GlobalOptions

    static func send(_ command: Command, _ options: GlobalOptions) throws {
        let session = try Session(options)
        let reply = try session.client.send(command, within: session.timeout ?? Session.defaultTimeout)
        if session.console.json {
            if let pins = reply.dashboard {
                try session.console.printJSON(pins)
            } else {
                try session.console.printJSON(reply)
            }
        } else if let pins = reply.dashboard {
            try session.console.confirm(Lists.dashboard(pins, on: session.terminal))
        }
    }

    struct ShowPinsCommand: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show the pins.")
        @OptionGroup var options: GlobalOptions

        func run() throws {
            let session = try Session(options)
            try session.show(Routes.dashboard) { Lists.dashboard($0, on: session.terminal) }
        }
    }

    struct PinCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pin",
            abstract: "Pin a light or a room.", discussion: "Example:\n  lightctl dashboard pin @kitchen")
        @Argument(help: "A light's name, @room, all, or an id.") var target: String
        @OptionGroup var options: GlobalOptions
        func run() throws { try DashboardCommand.send(.pin(target: target), options) }
    }

    struct UnpinCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unpin",
            abstract: "Remove a pin.", discussion: "Example:\n  lightctl dashboard unpin @kitchen")
        @Argument(help: "The pinned target.") var target: String
        @OptionGroup var options: GlobalOptions
        func run() throws { try DashboardCommand.send(.unpin(target: target), options) }
    }

    struct MoveCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "move",
            abstract: "Move a pin to another place.", discussion: "Example:\n  lightctl dashboard move desk 1")
        @Argument(help: "The pinned target.") var target: String
        @Argument(help: "The new place, counted from 1.") var place: Int
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            guard place >= 1 else { throw ValidationError("places are counted from 1") }
        }

        func run() throws { try DashboardCommand.send(.move(target: target, place: place), options) }
    }

    struct DisplayCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "display",
            abstract: "Choose how the controls of a pin look.",
            discussion: "Example:\n  lightctl dashboard display desk scrubbing"
        )

        @Argument(help: "The pinned target.") var target: String
        @Argument(help: "slider or scrubbing.") var way: LevelControl
        @OptionGroup var options: GlobalOptions

        func run() throws {
            try DashboardCommand.send(.display(target: target, as: way), options)
        }
    }

    struct ExcludeCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "exclude",
            abstract: "Leave lights out of All off, or hide them from the page.",
            discussion: """
                The page's button All off leaves on what is excluded from all_off, such as a fish tank; 'lightctl turn \
                off all' turns off all. What is excluded from page is not seen there. Both obey commands as before. \
                'lightctl show LIGHT' says what leaves a light out.

                Example:
                  lightctl dashboard exclude 'fish tank' all_off
                """)
        @Argument(help: "A light's name, @room, all, or an id.") var target: String
        @Argument(help: "all_off or page.") var from: Exclusion
        @OptionGroup var options: GlobalOptions
        func run() throws { try DashboardCommand.confirm(.exclude(target: target, from: from), options) }
    }

    struct IncludeCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "include",
            abstract: "Let All off turn lights off again, or show them on the page again.",
            discussion: "Example:\n  lightctl dashboard include 'fish tank' all_off")
        @Argument(help: "A light's name, @room, all, or an id.") var target: String
        @Argument(help: "all_off or page.") var what: Exclusion
        @OptionGroup var options: GlobalOptions
        func run() throws { try DashboardCommand.confirm(.include(target: target, in: what), options) }
    }

    /// Sends what changes no pin, and says what it did.
    private static func confirm(_ command: Command, _ options: GlobalOptions) throws {
        let session = try Session(options)
        let reply = try session.client.send(command, within: session.timeout ?? Session.defaultTimeout)
        if session.console.json { return try session.console.printJSON(reply) }
        let text =
            switch command {
            case let .exclude(target, .allOff): "\(printable(target)): All off leaves it on"
            case let .exclude(target, .page): "\(printable(target)): hidden from the page"
            case let .include(target, .allOff): "\(printable(target)): All off turns it off"
            case let .include(target, .page): "\(printable(target)): on the page"
            default: ""
            }
        try session.console.confirm(text)
    }
}
