import ArgumentParser
import ControlProtocol

struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Say who or what set a light to what it is now, and when.",
        discussion: """
            One line a light. In a pipe: name, on|off, command|scene|wall|power|elsewhere|unseen, who, what, since, \
            freshness, id, with tabs between and "-" where there is nothing. Who is the one who gave the command, or what was \
            pressed at the wall; what is the command, or the scene's name. A light is 'elsewhere' set where another app did it, \
            or a switch of which its bridge tells nothing, and 'unseen' where it was so when lightd began to listen.

            Examples:
              lightctl why desk
              lightctl why @kitchen
            """
    )

    @Argument(help: "A light's name, @room, all, or an id.") var target: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = Session(options)
        let lights: [LightBody] = try await session.get(Routes.lights, [(.target, target)])
        try session.show(lights, CauseText.lines(lights, on: session.terminal, WallClock.local()))
    }
}
