public import ArgumentParser
public import ControlProtocol

/// The sensor that a verb changes.
public struct SensorArgument: ParsableArguments {
    @Argument(help: "Its name, ROOM/NAME, BRIDGE/NAME, or an id.") public var sensor: String

    public init() {}
}

public struct EnableSensorVerb: ArrangingVerb {
    public static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Let a sensor or a MotionAware area report again.",
        discussion: "Example:\n  lightctl sensor enable \"hall motion\"")

    @OptionGroup public var which: SensorArgument
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public var command: Command { .enableSensor(sensor: which.sensor) }
}

public struct DisableSensorVerb: ArrangingVerb {
    public static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Let a sensor or a MotionAware area report nothing.",
        discussion: """
            What it reports is unknown until it is enabled again: automations do not take it for 'nobody is there'.

            Example:
              lightctl sensor disable "hall motion"
            """)

    @OptionGroup public var which: SensorArgument
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public var command: Command { .disableSensor(sensor: which.sensor) }
}
