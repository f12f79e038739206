public import ArgumentParser
public import ControlProtocol

public struct DimVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "dim",
        abstract: "Set the brightness, or change it by a step.",
        usage: "lightctl dim <target> ... <level> [--ratio] [--perceptual] [--over <time>] [--wait] [<options>]",
        discussion: """
            The level comes last: 40% sets the brightness; +10% and -10% change it and stop at the ends of the range. \
            0% is the lowest level: the light stays on. 'lightctl off' turns it off.

            Each light is set or stepped by itself. With --ratio, the mean of a room's lights is, and they keep their \
            ratios: also over the ends of the range and back, until one of them is changed otherwise.

            Examples:
              lightctl dim kitchen 40%
              lightctl dim @living -10% --over 1s
              lightctl dim @living 40% --ratio
              lightctl dim @living +10% --ratio --perceptual
              lightctl dim desk "floor lamp" +20%
            """
    )

    // All unrecognized: a step down begins with a dash but is not an option.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Light names, @rooms, all, or ids, then the level.", valueName: "target> ... <level"))
    public var words: [String]

    @Flag(
        name: [.long, .customLong("ratio")],
        help: """
            Bring the mean of the lights that are on to the level, and keep their ratios. Lights that are off stay off; \
            if all are, they come on equally bright.
            """)
    public var keepRatios = false

    @Flag(help: "A step that looks equally large wherever it begins: +10% is a tenth of what the eye sees.")
    public var perceptual = false

    @OptionGroup public var commandOptions: CommandOptions

    public init() {}

    public func validate() throws { _ = try parsed() }

    private func parsed() throws -> (targets: [String], level: ValueChange<Percent>) {
        var words = words
        // Ends the options, as everywhere: what follows are values.
        if let end = words.firstIndex(of: "--") { words.remove(at: end) }
        if let unknown = words.first(where: { $0.hasPrefix("--") }) {
            throw ValidationError("Unknown option '\(unknown)'")
        }
        guard let last = words.last, words.count > 1 else {
            throw ValidationError("dim needs a target and a level: lightctl dim kitchen 40%")
        }
        guard Quantity(last) != nil else {
            throw ValidationError("'\(last)' is not a level: use a level such as 40%, or a step such as +10% or -10%")
        }
        let level: ValueChange<Percent>
        do {
            level = try ValueChange(argument: last)
        } catch {
            throw ValidationError("'\(last)' is \(error)")
        }
        guard !perceptual || level.level == nil else {
            throw ValidationError("--perceptual needs a step such as +10%: '\(last)' is a level")
        }
        return (Array(words.dropLast()), level)
    }

    public var delivery: Delivery { commandOptions.delivery }

    public var targets: [String] { get throws { try parsed().targets } }

    public func command(for target: String) throws -> Command {
        let (level, over) = (try parsed().level, delivery.over?.milliseconds)
        return level.step(
            .brightness, target: target, over: over, .init(keepRatios: keepRatios, perceptual: perceptual))
            ?? .set(.init(brightness: level.level?.value), target: target, over: over, keepRatios: keepRatios)
    }
}
