public import ArgumentParser
public import ControlProtocol

public struct SetVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set brightness, colour or white tone.",
        discussion: """
            Values that are not named stay as they are. A colour is a hue and a saturation; a lamp shows either a \
            colour or a white tone. The values of 'lightctl list --json' can be used as arguments.

            A value with a sign is a step from what each light shows, in percent of the range (--hue: in degrees, \
            unless % is written), and is set alone. 0% is the lowest brightness, not off. A light that is off is \
            turned on, and a light of several that cannot show a value is left out.

            A colour is '#ff8800', 'rgb(255,136,0)', 'rgb(100%,53%,0%)', 'hsb(30,100%,80%)' (which sets the brightness \
            too, unless --brightness does), 'xy(0.6,0.3)', a white tone such as 2700K or 370mirek, or one of the \
            148 colour names of CSS, such as orange or skyblue. How dark a colour is does not count: black is white. \
            Quotes keep the shell from reading # and ( itself.

            Examples:
              lightctl set desk --brightness 40% --color orange
              lightctl set @kitchen --temperature 2700K --over 2s
              lightctl set strip --hue 120° --saturation 80%
              lightctl set all --brightness +10%
            """
    )

    @Argument(help: "Light names, @rooms, all, or ids.") public var targets: [String]

    // Unconditional: a step down begins with a dash but is not an option.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "0% to 100%, or a step such as +10%; 0% is the lowest level, not off.", valueName: "percent"),
        transform: ValueChange<Percent>.init(argument:))
    public var brightness: ValueChange<Percent>?

    @Option(
        help: ArgumentHelp("'#ff8800', 'rgb(255,136,0)', or a name such as orange.", valueName: "colour"),
        completion: .list(RGBColor.names.keys.sorted()),
        transform: ColorName.init(argument:))
    public var color: ColorName?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("2700K or 370mirek, or a step such as +10% (warmer).", valueName: "white"),
        transform: ValueChange<Temperature>.init(argument:))
    public var temperature: ValueChange<Temperature>?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("0° to 360°, for example 120° or 120, or a step such as +20°.", valueName: "degrees"),
        transform: ValueChange<Hue>.init(argument:))
    public var hue: ValueChange<Hue>?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("0% to 100%, or a step such as -10%.", valueName: "percent"),
        transform: ValueChange<Percent>.init(argument:))
    public var saturation: ValueChange<Percent>?

    @OptionGroup public var commandOptions: CommandOptions

    public init() {}

    public var values: LightValuesBody {
        .init(
            brightness: brightness?.level?.value, color: color?.text, hue: hue?.level?.degrees,
            saturation: saturation?.level?.value, temperature: temperature?.level?.mirek
        )
    }

    /// The steps among the values.
    private func steps(_ target: String, _ over: Int?) -> [Command] {
        [
            brightness?.step(.brightness, target: target, over: over),
            temperature?.step(.temperature, target: target, over: over),
            hue?.step(.hue, target: target, over: over), saturation?.step(.saturation, target: target, over: over),
        ].compactMap { $0 }
    }

    public func validate() throws {
        let steps = steps("", nil)
        guard steps.isEmpty || steps.count == 1 && values == LightValuesBody() else {
            throw ValidationError("a step such as +10% is set alone: use one 'lightctl set' for each step")
        }
        guard values != LightValuesBody() || !steps.isEmpty else {
            throw ValidationError(
                "nothing to set: use --brightness, --color, --temperature, --hue or --saturation")
        }
        let coloured = color != nil || hue != nil || saturation != nil
        guard temperature == nil || !coloured else {
            throw ValidationError("a lamp shows either a white tone or a colour: leave out --temperature or the colour")
        }
        guard color == nil || (hue == nil && saturation == nil) else {
            throw ValidationError("--color sets both hue and saturation: leave out --color, or --hue and --saturation")
        }
    }

    public var delivery: Delivery { commandOptions.delivery }

    public func command(for target: String) -> Command {
        let over = delivery.over?.milliseconds
        return steps(target, over).first ?? .set(values, target: target, over: over)
    }
}
