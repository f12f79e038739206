import ArgumentParser
import ControlProtocol

struct SetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set brightness, colour or white tone.",
        discussion: """
            Values that are not named stay as they are. A colour is a hue and a saturation; a lamp shows either a \
            colour or a white tone. The values of 'lightctl list --json' can be used as arguments.

            Colours: \(ColorName.all.joined(separator: ", ")), or '#rrggbb' (in quotes, because # starts a comment in \
            a shell).

            Examples:
              lightctl set desk --brightness 40% --color orange
              lightctl set @kitchen --temperature 2700K --over 2s
              lightctl set strip --hue 120° --saturation 80%
            """
    )

    @Argument(help: "Light names, @rooms, all, or ids.") var targets: [String]

    @Option(
        help: ArgumentHelp("0% to 100%; 0% is the lowest level, not off.", valueName: "percent"),
        transform: Percent.init(argument:))
    var brightness: Percent?

    @Option(
        help: ArgumentHelp("'#ff8800', or a name such as orange.", valueName: "colour"),
        transform: ColorName.init(argument:))
    var color: ColorName?

    @Option(help: ArgumentHelp("2700K or 370mirek.", valueName: "white"), transform: Temperature.init(argument:))
    var temperature: Temperature?

    @Option(
        help: ArgumentHelp("0° to 360°, for example 120° or 120.", valueName: "degrees"), transform: Hue.init(argument:)
    )
    var hue: Hue?

    @Option(help: ArgumentHelp("0% to 100%.", valueName: "percent"), transform: Percent.init(argument:))
    var saturation: Percent?

    @OptionGroup var commandOptions: CommandOptions

    @OptionGroup var options: GlobalOptions

    var values: Command.Values {
        .init(
            brightness: brightness?.value, color: color?.text, hue: hue?.degrees, saturation: saturation?.value,
            temperature: temperature?.mirek
        )
    }

    func validate() throws {
        guard values != Command.Values() else {
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

    func run() throws {
        let values = values
        try Session(options).send(targets, commandOptions) { .set(values, target: $0, over: $1) }
    }
}
