import ArgumentParser
import ControlProtocol

/// What `increase` and `decrease` both take.
struct StepArguments: ParsableArguments {
    @Argument(help: "Which value.") var value: Command.Value
    @Argument(help: "Light names, @rooms, all, or ids.") var targets: [String]

    // Unconditional: "--by -10" gets the answer that the verb says whether up or down.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How far, in per cent of the range (default: 10).", valueName: "points"),
        transform: StepSize.init(argument:))
    var by: StepSize?

    @OptionGroup var commandOptions: CommandOptions

    static let usual = 10.0
}

struct IncreaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "increase",
        abstract: "Raise brightness, saturation, hue or temperature by a step.",
        discussion: """
            Stops at the end of the range. A higher temperature is warmer, as mirek count. A room keeps the differences between its lights.

            Examples:
              lightctl increase brightness @living
              lightctl increase temperature desk --by 25 --over 1s
            """
    )

    @OptionGroup var arguments: StepArguments
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let (value, by) = (arguments.value, arguments.by?.points ?? StepArguments.usual)
        try await Session(options).send(arguments.targets, arguments.commandOptions) {
            .increase(value, by: by, target: $0, over: $1)
        }
    }
}

struct DecreaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrease",
        abstract: "Lower brightness, saturation, hue or temperature by a step.",
        discussion: """
            Stops at the end of the range: brightness at the lowest level, never off. A lower temperature is cooler, as mirek count.

            Examples:
              lightctl decrease brightness kitchen --by 20
              lightctl decrease saturation all
            """
    )

    @OptionGroup var arguments: StepArguments
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let (value, by) = (arguments.value, arguments.by?.points ?? StepArguments.usual)
        try await Session(options).send(arguments.targets, arguments.commandOptions) {
            .decrease(value, by: by, target: $0, over: $1)
        }
    }
}
