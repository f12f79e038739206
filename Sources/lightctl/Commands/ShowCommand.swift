import ArgumentParser
import ControlProtocol

struct ShowCommand: ParsableCommand {
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

    func run() throws {
        let session = Session(options)
        let clock = WallClock.local()
        try session.show(Routes.lights, [(.target, target)]) { (lights: [LightBody]) in
            lights.map { Details.rendered(Details.light($0, clock), on: session.terminal) }.joined(separator: "\n\n")
        }
    }
}
