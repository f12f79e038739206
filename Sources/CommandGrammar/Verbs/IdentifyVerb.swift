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

public struct SignalVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "signal",
        abstract: "Let lights blink for a while, to tell something.",
        discussion: """
            In a colour, or in two in turns; without --color in what they show, as do lights without colours. They are \
            left as they were, and those of a whole room blink together. Bridges with API v1 know no signals: \
            'lightctl identify' makes a light blink there.

            Examples:
              lightctl signal @kitchen --color red
              lightctl signal all --color red --color blue --for 1m
              lightctl signal @kitchen --end
            """
    )

    @Argument(help: "Names of lights, @rooms, all, or ids.") public var targets: [String]

    @Option(
        help: ArgumentHelp("A colour; given twice, two in turns.", valueName: "colour"),
        completion: .list(RGBColor.names.keys.sorted()),
        transform: ColorName.init(argument:))
    public var color: [ColorName] = []

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long, 1s to 18h; 5s without.", valueName: "time"),
        transform: { (text) throws(ArgumentError) in try TimeSpan.wait(argument: text, from: 1) })
    public var span: TimeSpan?

    @Flag(help: "End a signal before its time.") public var end = false

    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public func validate() throws {
        guard color.count <= 2 else { throw ValidationError("a signal has one colour, or two in turns") }
        guard !end || span == nil && color.isEmpty else {
            throw ValidationError("--end ends a signal at once: leave out --color and --for")
        }
        if let span, span.milliseconds > Self.longest {
            throw ValidationError(
                "--for is too long: a bridge signals for at most \(TimeSpan(milliseconds: Self.longest).text)")
        }
    }

    /// Bridges count whole seconds in 16 bits.
    private static let longest = 65_534_000

    public var delivery: Delivery { rehearsal.delivery }
    public static let ownOptions: Set = ["--for"]

    public func command(for target: String) -> Command {
        .signal(target: target, colors: color.map(\.text), duration: end ? 0 : span?.milliseconds ?? 5000)
    }
}
