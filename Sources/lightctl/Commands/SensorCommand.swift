import ArgumentParser
import CommandGrammar

struct SensorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensor",
        abstract: "Enable and disable sensors and MotionAware areas.",
        discussion: """
            The bridge stores it, so every app shows it. A sensor that is disabled reports no motion, contact, light or \
            temperature; its buttons go on working. 'lightctl list sensors' shows all sensors.

            Examples:
              lightctl sensor disable "hall motion"
              lightctl sensor enable "hall motion"
            """,
        subcommands: [ArrangeCommand<EnableSensorVerb>.self, ArrangeCommand<DisableSensorVerb>.self])
}
