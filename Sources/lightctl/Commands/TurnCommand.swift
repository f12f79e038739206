import ArgumentParser
import ControlProtocol

/// The arguments of `turn`, `on`, `off` and `toggle`.
struct TurnArguments: ParsableArguments {
    @Argument(help: "Light names, @rooms, all, or ids.") var targets: [String]

    @OptionGroup var commandOptions: CommandOptions
}

struct TurnCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "turn",
        abstract: "Turn lights on or off, or toggle them.",
        discussion: """
            Examples:
              lightctl turn on @living
              lightctl turn off all --over 3s
              lightctl turn off all --wait && echo dark
              lightctl turn toggle desk "floor lamp"
            """
    )

    enum Action: String, ExpressibleByArgument, CaseIterable { case on, off, toggle }

    @Argument(help: "On, off or toggle.") var action: Action
    @OptionGroup var arguments: TurnArguments
    @OptionGroup var options: GlobalOptions

    func run() throws { try Self.turn(action, arguments, options) }

    static func turn(_ action: Action, _ arguments: TurnArguments, _ options: GlobalOptions) throws {
        try Session(options).send(arguments.targets, arguments.commandOptions) { target, over in
            switch action {
            case .on: .turn(to: .on, target: target, over: over)
            case .off: .turn(to: .off, target: target, over: over)
            case .toggle: .toggle(target: target, over: over)
            }
        }
    }
}

struct OnCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on",
        abstract: "Turn lights on.", discussion: "Example:\n  lightctl on kitchen")
    @OptionGroup var arguments: TurnArguments
    @OptionGroup var options: GlobalOptions
    func run() throws { try TurnCommand.turn(.on, arguments, options) }
}

struct OffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "off",
        abstract: "Turn lights off.", discussion: "Example:\n  lightctl off all --over 3s")
    @OptionGroup var arguments: TurnArguments
    @OptionGroup var options: GlobalOptions
    func run() throws { try TurnCommand.turn(.off, arguments, options) }
}

struct ToggleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "toggle",
        abstract: "Turn lights off if any of them is on, otherwise on.",
        discussion: "Example:\n  lightctl toggle @living"
    )
    @OptionGroup var arguments: TurnArguments
    @OptionGroup var options: GlobalOptions
    func run() throws { try TurnCommand.turn(.toggle, arguments, options) }
}
