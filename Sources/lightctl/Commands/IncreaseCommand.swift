import ArgumentParser
import ControlProtocol

/// The arguments of `increase` and `decrease`.
struct StepArguments: ParsableArguments {
    @Argument(help: "The value to change.") var value: Command.Value
    @Argument(help: "Light names, @rooms, all, or ids.") var targets: [String]

    // Unconditional: "--by -10" is then refused by StepSize, which explains why.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How far, in percent of the range (default: 10).", valueName: "points"),
        transform: StepSize.init(argument:))
    var by: StepSize?

    @OptionGroup var commandOptions: CommandOptions

    static let defaultPoints = 10.0
}

struct IncreaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
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

    @OptionGroup var arguments: StepArguments
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let (value, by) = (arguments.value, arguments.by?.points ?? StepArguments.defaultPoints)
        try Session(options).send(arguments.targets, arguments.commandOptions) {
            .increase(value, by: by, target: $0, over: $1)
        }
    }
}

struct DecreaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
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

    @OptionGroup var arguments: StepArguments
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let (value, by) = (arguments.value, arguments.by?.points ?? StepArguments.defaultPoints)
        try Session(options).send(arguments.targets, arguments.commandOptions) {
            .decrease(value, by: by, target: $0, over: $1)
        }
    }
}
