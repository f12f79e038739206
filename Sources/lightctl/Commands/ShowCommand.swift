import ArgumentParser
import ControlProtocol

struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show every detail of a light, of all lights of a room, or of a sensor or switch.",
        discussion: """
            A light comes before a sensor of the same name. In a pipe: lines of "key<tab>value", with an empty line \
            between lights.

            Examples:
              lightctl show desk
              lightctl show @kitchen --json
              lightctl show "Dial Living"
            """
    )

    @Argument(
        help: ArgumentHelp("A light's or sensor's name, @room, all, or an id.", valueName: "target-or-sensor"))
    var target: String
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        let clock = WallClock.local()
        do {
            try session.show(Routes.lights, [(.target, target)]) { (lights: [LightBody]) in
                lights.map { Details.rendered(Details.light($0, clock), on: session.terminal) }
                    .joined(separator: "\n\n")
            }
        } catch let unknown as ErrorReply where unknown.error.code == .noSuchTarget {
            do {
                try session.show(Routes.sensors, [(.target, target)]) { (sensors: [SensorBody]) in
                    sensors.map { Details.rendered(Details.sensor($0, clock), on: session.terminal) }
                        .joined(separator: "\n\n")
                }
            } catch let none as ErrorReply where none.error.code == .noSuchTarget {
                throw unknown.error.candidates != nil || none.error.candidates == nil ? unknown : none
            }
        }
    }
}
