import ArgumentParser
import ControlProtocol

struct SnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Print what lights show, for 'restore'.",
        discussion: """
            Prints JSON: "version" (1), "taken" (ISO 8601 in UTC) and "lights", each with id, name, power, brightness, \
            mode, and hue and saturation or temperature, in the units of 'lightctl list --json'. Lights of all bridges \
            can be in one snapshot. Of a light out of reach it has what was last known. If it lacks the lights of a \
            bridge that lightd has not reached since it started, the exit code is 7; if it has reached none, it \
            is that of the reason, such as 3.

            Examples:
              lightctl snapshot > before.json
              lightctl snapshot @living desk > evening.json
            """
    )

    @Argument(help: "Light names, @rooms, all, or ids (default: all).") var targets: [String] = []
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        let documents = try (targets.isEmpty ? ["all"] : targets).map {
            try session.document(Routes.lights, [(.target, $0)])
        }
        let lights = try documents.flatMap { try session.client.decoded([LightBody].self, $0.json) }
        var seen: Swift.Set<String> = []
        let states = lights.filter { seen.insert($0.id).inserted }.map(Command.LightState.init(of:))
        let snapshot = SnapshotBody(taken: WallClock.local().now.iso, lights: states)
        // Whatever --quiet says: an empty file would be a trap.
        try session.afterwards({ try Console.write(Console.json(snapshot, pretty: true) + "\n", to: 1) }) {
            try session.requireLights(of: documents.flatMap(\.unreadBridges), in: "snapshot")
        }
    }
}
