public import ArgumentParser
public import ControlProtocol

public struct SetCurveVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Draw a curve, or draw one anew.",
        discussion: """
            A POINT is a time (06:30), a moment of the sun (sunset - 20m) or its height in degrees (sun -6), followed by \
            what lights show then: a brightness (40%), a white tone (2700K), or both. Between the points it is \
            interpolated, the brightness as the eye sees it. Each of the two values goes either by the clock or by the \
            sun's height.

            Examples:
              lightctl curve set office "07:00 4000K" "18:00 4000K" "22:00 2700K"
              lightctl curve set daylight "sun -6 30% 2200K" "sun 10 100% 4500K"
            """)

    @Argument(help: ArgumentHelp("The curve's name.", valueName: "curve")) public var name: String
    @Argument(help: "Points, each in quotation marks.") public var points: [String]

    public init() {}

    public var targets: [String] { [name] }
    public var delivery: Delivery { Delivery() }

    public func command(for name: String) -> Command { .setCurve(name: name, points: points) }
}

public struct RemoveCurveVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a curve; 'daylight' and 'night' are then as lightd has them.",
        discussion: "Example:\n  lightctl curve remove office")

    @Argument(help: ArgumentHelp("The curve's name.", valueName: "curve")) public var name: String

    public init() {}

    public var targets: [String] { [name] }
    public var delivery: Delivery { Delivery() }

    public func command(for name: String) -> Command { .removeCurve(name: name) }
}
