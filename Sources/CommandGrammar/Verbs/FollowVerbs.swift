public import ArgumentParser
public import ControlProtocol

public struct FollowVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "follow",
        abstract: "Let lights follow a curve of brightness and white tone over the day.",
        discussion: """
            Lights are right as soon as they are switched on, here or at the wall, and change too slowly to be seen. A \
            hand wins: what a person, another app or a scene changes is left alone until the light was off, or until \
            'lightctl resume'. The brightness and the white tone are left alone by themselves. 'lightctl why' says what \
            follows what.

            The curve is daylight (bright and cool by day, dim and warm at night), night (dim and warm), or one of \
            'lightctl curve set'.

            Examples:
              lightctl follow @living
              lightctl follow @bedroom night --until 07:00
              lightctl follow all daylight --temperature-only --resume-after 2h
            """
    )

    @Argument(help: "A light's name, @room, all, or an id.") public var target: String
    @Argument(help: "The curve's name.") public var curve = "daylight"
    @Flag(help: "Leave the white tone alone.") public var brightnessOnly = false
    @Flag(help: "Leave the brightness alone.") public var temperatureOnly = false
    @Option(help: ArgumentHelp("When it ends: 23:00, or sunrise + 30m.", valueName: "moment")) public var until: String?
    @Option(
        help: ArgumentHelp(
            "So long after a change by hand, follow again; without it, only once the light was off.",
            valueName: "time"),
        transform: TimeSpan.pause(argument:))
    public var resumeAfter: TimeSpan?
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public func validate() throws {
        if brightnessOnly, temperatureOnly {
            throw ValidationError("--brightness-only and --temperature-only exclude each other")
        }
    }

    public var targets: [String] { [target] }
    public var delivery: Delivery { rehearsal.delivery }

    public func command(for target: String) -> Command {
        .follow(
            target: target, curve: curve, only: brightnessOnly ? .brightness : temperatureOnly ? .temperature : nil,
            until: until, resumeAfter: resumeAfter.map { Double($0.milliseconds) / 1000 })
    }
}

public struct UnfollowVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "unfollow",
        abstract: "Let lights follow nothing any more; they stay as they are.",
        discussion: """
            A light leaves what its room follows; the rest of the room goes on.

            Examples:
              lightctl unfollow @living
              lightctl unfollow all
            """
    )

    @Argument(help: "Names of lights, @rooms, all, or ids.") public var targets: [String]
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public var delivery: Delivery { rehearsal.delivery }

    public func command(for target: String) -> Command { .unfollow(target: target) }
}

public struct ResumeVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Let lights that were changed by hand follow their curve again.",
        discussion: """
            Examples:
              lightctl resume @living
              lightctl resume
            """
    )

    @Argument(help: "Names of lights, @rooms, all, or ids.") public var targets = ["all"]
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public var delivery: Delivery { rehearsal.delivery }

    public func command(for target: String) -> Command { .resume(target: target) }
}

public struct WakeVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "wake",
        abstract: "Turn lights on and brighten them slowly, like a sunrise.",
        discussion: """
            Lights that are on already are left alone. Changing a light, or turning it off, ends it for that light.

            Examples:
              lightctl wake @bedroom
              lightctl wake "bedside lamp" --over 10m
            """
    )

    @OptionGroup var course: CourseArguments

    public init() {}

    public var targets: [String] { course.targets }
    public var delivery: Delivery { course.rehearsal.delivery }

    public func command(for target: String) -> Command { .wake(target: target, over: course.over.milliseconds) }
}

public struct SleepVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "sleep",
        abstract: "Dim lights slowly, like a sunset, and turn them off in the end.",
        discussion: """
            Lights that are off stay off. Changing a light ends it for that light, which then stays on.

            Examples:
              lightctl sleep @bedroom
              lightctl sleep all --over 10m
            """
    )

    @OptionGroup var course: CourseArguments

    public init() {}

    public var targets: [String] { course.targets }
    public var delivery: Delivery { course.rehearsal.delivery }

    public func command(for target: String) -> Command { .sleep(target: target, over: course.over.milliseconds) }
}

struct CourseArguments: ParsableArguments {
    @Argument(help: "Names of lights, @rooms, all, or ids.") var targets: [String]
    @Option(
        help: ArgumentHelp("How long it takes, 1s to 4h.", valueName: "time"),
        transform: TimeSpan.course(argument:))
    var over = TimeSpan(milliseconds: 1_800_000)
    @OptionGroup var rehearsal: DryRunOption
}

extension TimeSpan {
    /// `--resume-after`: 1 s to 7 days.
    static func pause(argument: String) throws(ArgumentError) -> TimeSpan {
        let span = try TimeSpan(argument: argument)
        guard (1000...604_800_000).contains(span.milliseconds) else {
            throw ArgumentError("out of range: use 1s to 7d")
        }
        return span
    }

    /// `--over` of a sunrise or sunset: 1 s to 4 h.
    static func course(argument: String) throws(ArgumentError) -> TimeSpan {
        let span = try TimeSpan(argument: argument)
        guard (1000...14_400_000).contains(span.milliseconds) else { throw ArgumentError("out of range: use 1s to 4h") }
        return span
    }
}
