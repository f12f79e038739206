import ArgumentParser
import ControlProtocol

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show every detail of a light, or of all lights of a room.",
        discussion: """
            In a pipe: lines of "key<tab>value", with an empty line between lights.

            Examples:
              lightctl show desk
              lightctl show @kitchen --json
            """
    )

    @Argument(help: "A light's name, @room, all, or an id.") var target: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = Session(options)
        let lights: [LightBody] = try await session.get(Routes.lights, [(.target, target)])
        let clock = WallClock.local()
        try session.show(
            lights,
            lights.map { Details.rendered(Details.light($0, clock), on: session.terminal) }.joined(separator: "\n\n")
        )
    }
}
