import ArgumentParser
import ControlProtocol

/// What `increase` and `decrease` both take.
struct Stepping: ParsableArguments {
    @Argument(help: "Which value.") var value: Command.Value
    @Argument(help: "Light names, @rooms, all, or ids.") var targets: [String]

    // Unconditional: "--by -10" gets the answer that the verb says whether up or down.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How far, in per cent of the range (default: 10).", valueName: "points"),
        transform: Step.init(argument:))
    var by: Step?

    @OptionGroup var manner: Manner

    static let usual = 10.0
}

struct Increase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Raise brightness, saturation, hue or temperature by a step.",
        discussion: """
            Stops at the end of the range. A higher temperature is warmer, as mirek count. A room keeps the differences between its lights.

            Examples:
              lightctl increase brightness @living
              lightctl increase temperature desk --by 25 --over 1s
            """
    )

    @OptionGroup var stepping: Stepping
    @OptionGroup var options: Options

    func run() async throws {
        let (value, by) = (stepping.value, stepping.by?.points ?? Stepping.usual)
        try await Session(options).order(stepping.targets, stepping.manner) {
            .increase(value, by: by, target: $0, over: $1)
        }
    }
}

struct Decrease: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lower brightness, saturation, hue or temperature by a step.",
        discussion: """
            Stops at the end of the range: brightness at the lowest level, never off. A lower temperature is cooler, as mirek count.

            Examples:
              lightctl decrease brightness kitchen --by 20
              lightctl decrease saturation all
            """
    )

    @OptionGroup var stepping: Stepping
    @OptionGroup var options: Options

    func run() async throws {
        let (value, by) = (stepping.value, stepping.by?.points ?? Stepping.usual)
        try await Session(options).order(stepping.targets, stepping.manner) {
            .decrease(value, by: by, target: $0, over: $1)
        }
    }
}
