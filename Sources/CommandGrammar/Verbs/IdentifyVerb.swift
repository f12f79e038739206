public import ArgumentParser
public import ControlProtocol

public struct IdentifyVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "identify",
        abstract: "Make lights blink, to see which they are.",
        discussion: """
            They are left as they were. A bridge without API v2 refuses a lamp that is off.

            Examples:
              lightctl identify "Hue color lamp 3"
              lightctl identify @kitchen
            """
    )

    @Argument(help: "Names of lights, @rooms, all, or ids.") public var targets: [String]
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public var delivery: Delivery { rehearsal.delivery }

    public func command(for target: String) -> Command { .identify(target: target) }
}
