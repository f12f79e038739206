public import ArgumentParser
public import ControlProtocol

/// The arguments of `turn`, `on`, `off` and `toggle`.
public struct TurnArguments: ParsableArguments {
    @Argument(help: "Light names, @rooms, all, or ids.") public var targets: [String]

    @OptionGroup public var commandOptions: CommandOptions

    public init() {}
}

/// A verb that takes ``TurnArguments``.
public protocol PowerVerb: TargetVerb {
    var arguments: TurnArguments { get }
    var action: TurnVerb.Action { get }
}

extension PowerVerb {
    public var targets: [String] { arguments.targets }
    public var delivery: Delivery { arguments.commandOptions.delivery }

    public func command(for target: String) -> Command {
        let over = delivery.over?.milliseconds
        return switch action {
        case .on: .turn(to: .on, target: target, over: over)
        case .off: .turn(to: .off, target: target, over: over)
        case .toggle: .toggle(target: target, over: over)
        }
    }
}

public struct TurnVerb: PowerVerb {
    public static let configuration = CommandConfiguration(
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

    public enum Action: String, ExpressibleByArgument, CaseIterable { case on, off, toggle }

    @Argument(help: "On, off or toggle.") public var action: Action
    @OptionGroup public var arguments: TurnArguments

    public init() {}
}

public struct OnVerb: PowerVerb {
    public static let configuration = CommandConfiguration(
        commandName: "on",
        abstract: "Turn lights on.", discussion: "Example:\n  lightctl on kitchen")
    @OptionGroup public var arguments: TurnArguments
    public var action: TurnVerb.Action { .on }

    public init() {}
}

public struct OffVerb: PowerVerb {
    public static let configuration = CommandConfiguration(
        commandName: "off",
        abstract: "Turn lights off.", discussion: "Example:\n  lightctl off all --over 3s")
    @OptionGroup public var arguments: TurnArguments
    public var action: TurnVerb.Action { .off }

    public init() {}
}

public struct ToggleVerb: PowerVerb {
    public static let configuration = CommandConfiguration(
        commandName: "toggle",
        abstract: "Turn lights off if any of them is on, otherwise on.",
        discussion: "Example:\n  lightctl toggle @living"
    )
    @OptionGroup public var arguments: TurnArguments
    public var action: TurnVerb.Action { .toggle }

    public init() {}
}
