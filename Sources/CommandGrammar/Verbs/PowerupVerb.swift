public import ArgumentParser
public import ControlProtocol

/// Shows or sets a property of the configuration of lights.
public protocol ConfigurationVerb: TargetVerb {
    static var property: LightConfiguration.Property { get }

    var target: String { get }
    /// `nil` to show it.
    var change: LightConfiguration.Change? { get }
    var rehearsal: DryRunOption { get }
}

extension ConfigurationVerb {
    public var targets: [String] { [target] }
    public var delivery: Delivery { rehearsal.delivery }
}

public struct PowerupVerb: ConfigurationVerb {
    public static let property = LightConfiguration.Property.powerup

    public static let configuration = CommandConfiguration(
        commandName: "powerup",
        abstract: "Show or set what lights do after a power cut.",
        discussion: """
            safety         on, bright and warm
            powerfail      as before, unless the lamp was switched off at the wall
            last_on_state  as before
            custom         set in another app; lightctl can only show it

            In a pipe: name, safety|powerfail|last_on_state|custom, id, separated by tabs; "-" if the bridge does not \
            report it.

            Examples:
              lightctl powerup @kitchen
              lightctl powerup all last_on_state
            """
    )

    @Argument(help: "A light's name, @room, all, or an id.") public var target: String
    @Argument(
        help: "The new setting; without it, the current one is shown.",
        completion: .list(["safety", "powerfail", "last_on_state"]), transform: Self.preset(argument:))
    public var preset: Powerup?
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    private static func preset(argument: String) throws(ArgumentError) -> Powerup {
        switch Powerup(rawValue: argument) {
        case .custom: throw ArgumentError("set only in another app; lightctl can only show it")
        case let preset?: return preset
        case nil: throw ArgumentError("not a setting: use 'safety', 'powerfail', 'last_on_state'")
        }
    }

    public var change: LightConfiguration.Change? { preset.map { .powerup($0) } }

    public func command(for target: String) throws -> Command {
        guard let change else {
            throw ValidationError("powerup needs a setting: use 'safety', 'powerfail' or 'last_on_state'")
        }
        return .configure(target: target, change)
    }
}
