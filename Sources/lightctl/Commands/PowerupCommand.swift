import ArgumentParser
import ControlProtocol

struct PowerupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "powerup",
        abstract: "Show or set what lights do when their mains come back.",
        discussion: """
            safety         on, bright and warm
            powerfail      as it was, where the power failed and nobody switched the lamp off at the wall
            last_on_state  as it was
            custom         made in another app; shown here, and not set

            In a pipe: name, safety|powerfail|last_on_state|custom, id, with tabs between; "-" where a bridge does not tell.

            Examples:
              lightctl powerup @kitchen
              lightctl powerup all last_on_state
            """
    )

    @Argument(help: "A light's name, @room, all, or an id.") var target: String
    @Argument(help: "What to do; without it, what is set is shown.") var preset: Command.Powerup?
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard preset != .custom else {
            throw ValidationError("'custom' is made in another app; it can be shown here and not set")
        }
    }

    func run() async throws {
        let session = Session(options)
        if let preset {
            try await session.send([target], say: { "\(printable($0)): \(preset.rawValue) after a power cut" }) {
                target, _ in
                .powerup(target: target, preset: preset)
            }
        } else {
            let lights: [LightBody] = try await session.get(Routes.lights, [(.target, target)])
            try session.show(lights, Lists.powerups(lights, on: session.terminal))
        }
    }
}
