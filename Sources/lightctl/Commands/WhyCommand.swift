import ArgumentParser
import ControlProtocol

struct WhyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Show who or what last changed a light, and when.",
        discussion: """
            Prints one line per light. In a pipe: name, on|off, command|scene|wall|power|elsewhere|unseen, who, what, \
            since, freshness, id, separated by tabs, with "-" for empty columns; then what \
            it follows, and which of its values a hand has changed. "Who" is the sender of the command \
            or the switch that was pressed; "what" is the command or the scene. The cause is 'elsewhere' if another \
            app changed the light, or a switch that the bridge does not report, and 'unseen' if the light has not \
            changed since lightd started listening.

            Examples:
              lightctl why desk
              lightctl why @kitchen
            """
    )

    @Argument(help: "A light's name, @room, all, or an id.") var target: String
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        try session.show(Routes.lights, [(.target, target)]) {
            CauseText.lines($0, on: session.terminal, WallClock.local())
        }
    }
}
