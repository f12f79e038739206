public import ArgumentParser
public import ControlProtocol

public struct EffectVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "effect",
        abstract: "Run an effect on lights, or end it.",
        usage:
            "lightctl effect <target> ... <effect> [--speed <percent>] [--color <colour>] [--over <time>] [<options>]",
        discussion: """
            The effect comes last: candle, fire, prism, sparkle, opal, glisten, underwater, cosmos, sunbeam, enchant, or \
            whatever else a lamp can ('lightctl show' lists it); none ends what runs, as does a colour or a white tone. \
            An effect runs over what the lamp shows, so its brightness can be changed meanwhile, and a strip keeps its \
            gradient. A light that is off is turned on, but not to end an effect. A light of several that cannot run it \
            is left out.

            sunrise and sunset are slow, and come to an end: --over says how long they take.

            Examples:
              lightctl effect desk candle
              lightctl effect @living fire --speed 30% --color orange
              lightctl effect strip prism --for 20m
              lightctl effect bedroom sunrise --over 30m
              lightctl effect all none
            """
    )

    @Argument(
        help: ArgumentHelp("Light names, @rooms, all, or ids, then the effect.", valueName: "target-or-effect"))
    public var words: [String]

    @Option(
        help: ArgumentHelp("How fast it runs, 0% to 100%.", valueName: "percent"),
        transform: Percent.init(argument:))
    public var speed: Percent?

    @Option(
        help: ArgumentHelp("The colour or white tone in which it runs; its own without.", valueName: "colour"),
        completion: .list(RGBColor.names.keys.sorted()),
        transform: ColorName.init(argument:))
    public var color: ColorName?

    @OptionGroup public var commandOptions: CommandOptions

    /// Those of the lamps of 2026, for completion. A lamp may list others.
    public static let known = [
        "candle", "fire", "prism", "sparkle", "opal", "glisten", "underwater", "cosmos", "sunbeam", "enchant",
        "sunrise",
        "sunset", LightValuesBody.noEffect,
    ]

    public init() {}

    public func validate() throws {
        guard words.count > 1 else {
            throw ValidationError("effect needs a target and an effect: lightctl effect desk candle")
        }
        guard effect != LightValuesBody.noEffect || speed == nil && color == nil && delivery.over == nil else {
            throw ValidationError("an effect ends at once: leave out --speed, --color and --over")
        }
    }

    private var effect: String { words.last?.lowercased() ?? "" }

    public var delivery: Delivery { commandOptions.delivery }

    public var targets: [String] { words.dropLast() }

    public func command(for target: String) -> Command {
        .set(
            .init(
                effect: effect, effectSpeed: speed?.value, effectColor: color?.text,
                effectDuration: delivery.over?.milliseconds),
            target: target)
    }
}

public struct GradientVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "gradient",
        abstract: "Show several colours at once along a strip.",
        discussion: """
            Two colours or more, from one end of the strip to the other; how many it takes, 'lightctl show' says. A colour \
            is written as for 'lightctl set'; a white tone is none.

            linear    from the first to the last (the usual way)
            mirrored  from the middle to both ends
            random    each pixel shows one of them
            segmented each in a segment of its own

            Without --mode the strip keeps its own. A light of several that shows only one colour is left out.

            Examples:
              lightctl gradient strip red orange '#00f'
              lightctl gradient @tv skyblue violet --mode mirrored --over 2s
            """
    )

    @Argument(help: "A light's name, @room, all, or an id.") public var target: String

    @Argument(
        help: ArgumentHelp("Two colours or more.", valueName: "colour"),
        completion: .list(RGBColor.names.keys.sorted()),
        transform: ColorName.init(argument:))
    public var colors: [ColorName]

    @Option(help: "How the strip arranges them.") public var mode: LightValuesBody.GradientMode?

    @OptionGroup public var commandOptions: CommandOptions

    public init() {}

    public func validate() throws {
        guard colors.count > 1 else {
            throw ValidationError("a gradient has two colours or more: lightctl gradient strip red blue")
        }
    }

    public var delivery: Delivery { commandOptions.delivery }

    public var targets: [String] { [target] }

    public func command(for target: String) -> Command {
        .set(
            .init(gradient: colors.map(\.text), gradientMode: mode), target: target, over: delivery.over?.milliseconds)
    }
}

extension LightValuesBody.GradientMode: ExpressibleByArgument {}
