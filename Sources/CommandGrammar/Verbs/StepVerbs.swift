public import ArgumentParser
public import ControlProtocol

/// The arguments of `increase` and `decrease`.
public struct StepArguments: ParsableArguments {
    @Argument(help: "The value to change.") public var value: LightValue
    @Argument(help: "Light names, @rooms, all, or ids.") public var targets: [String]

    // Unconditional: "--by -10" is then refused by StepSize, which explains why.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How far, in percent of the range (default: 10); of the hue 10 are 36°, and 30° is read too.",
            valueName: "points"),
        transform: StepSize.init(argument:))
    public var by: StepSize?

    @Flag(
        name: [.long, .customLong("ratio")],
        help: "Step the mean brightness of the lights that are on, and keep their ratios.")
    public var keepRatios = false

    @Flag(help: "Steps of the brightness that look equally large wherever they begin.")
    public var perceptual = false

    @OptionGroup public var commandOptions: CommandOptions

    public init() {}

    public func validate() throws {
        guard value == .hue || by?.isAngle != true else {
            throw ValidationError("degrees are for the hue, not for the \(value.rawValue): use --by 10")
        }
        guard value == .brightness || stepping == Command.Stepping() else {
            throw ValidationError(
                "\(keepRatios ? "--ratio" : "--perceptual") is for the brightness, not for the \(value.rawValue)")
        }
    }

    var stepping: Command.Stepping { .init(keepRatios: keepRatios, perceptual: perceptual) }

    /// In percent of the value's range.
    var points: Double { by?.points ?? 10 }
}

/// A verb that takes ``StepArguments``.
public protocol StepVerb: TargetVerb {
    var arguments: StepArguments { get }
}

extension StepVerb {
    public var targets: [String] { arguments.targets }
    public var delivery: Delivery { arguments.commandOptions.delivery }
}

public struct IncreaseVerb: StepVerb {
    public static let configuration = CommandConfiguration(
        commandName: "increase",
        abstract: "Raise brightness, saturation, hue or temperature by a step.",
        discussion: """
            Stops at the end of the range. A higher temperature is warmer, as in mirek. The lights of a room keep \
            their differences.

            Examples:
              lightctl increase brightness @living
              lightctl increase temperature desk --by 25 --over 1s
            """
    )

    @OptionGroup public var arguments: StepArguments

    public init() {}

    public func command(for target: String) -> Command {
        .increase(
            arguments.value, by: arguments.points, target: target, over: delivery.over?.milliseconds,
            arguments.stepping)
    }
}

public struct DecreaseVerb: StepVerb {
    public static let configuration = CommandConfiguration(
        commandName: "decrease",
        abstract: "Lower brightness, saturation, hue or temperature by a step.",
        discussion: """
            Stops at the end of the range: brightness stops at the lowest level and never turns a light off. A lower \
            temperature is cooler, as in mirek.

            Examples:
              lightctl decrease brightness kitchen --by 20
              lightctl decrease saturation all
            """
    )

    @OptionGroup public var arguments: StepArguments

    public init() {}

    public func command(for target: String) -> Command {
        .decrease(
            arguments.value, by: arguments.points, target: target, over: delivery.over?.milliseconds,
            arguments.stepping)
    }
}
