import ArgumentParser
import ControlProtocol

struct DimCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dim",
        abstract: "Set the brightness, or change it by a step.",
        usage: "lightctl dim <target> ... <level> [--keep-ratios] [--over <time>] [--wait] [<options>]",
        discussion: """
            The level comes last: 40% sets the brightness; +10% and -10% change it and stop at the ends of the range. \
            0% is the lowest level: the light stays on. 'lightctl off' turns it off.

            Examples:
              lightctl dim kitchen 40%
              lightctl dim @living -10% --over 1s
              lightctl dim @living 40% --keep-ratios
              lightctl dim desk "floor lamp" +20%
            """
    )

    // All unrecognized: a step down begins with a dash but is not an option.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Light names, @rooms, all, or ids, then the level.", valueName: "target> ... <level"))
    var words: [String]

    @Flag(
        help: """
            Bring the mean of the lights that are on to the level, and keep their ratios. Lights that are off stay off; \
            if all are, they come on equally bright.
            """)
    var keepRatios = false

    @OptionGroup var commandOptions: CommandOptions

    @OptionGroup var options: GlobalOptions

    func validate() throws { _ = try parsed() }

    func parsed() throws -> (targets: [String], level: ValueChange<Percent>) {
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
        guard !keepRatios || level.level != nil else {
            throw ValidationError(
                "--keep-ratios needs a level such as 40%: '\(last)' is a step, the same for each light")
        }
        return (Array(words.dropLast()), level)
    }

    func run() throws {
        let (targets, level) = try parsed()
        try Session(options).send(targets, commandOptions) { target, over in
            level.step(.brightness, target: target, over: over)
                ?? .set(.init(brightness: level.level?.value, keepRatios: keepRatios), target: target, over: over)
        }
    }
}
