/// Lights that follow a curve over the day, a sunrise or a sunset.
public struct FollowingBody: Codable, Equatable, Sendable {
    /// As a command names it: "@Living", "Desk", "all".
    public var target: String
    /// "daylight", "night" or another curve's name; "wake-up" or "sleep" for a sunrise or a sunset.
    public var course: String
    public var kind: Kind
    /// What of its lights follows.
    public var values: [FollowedValue]
    public var since: String
    /// When it ends; absent if somebody ends it.
    public var until: String?
    /// How long after a change by hand a light follows again, in seconds; absent if only once it was off.
    public var resumeAfter: Double?
    /// How many lights follow it now, and how many of them a hand has changed.
    public var lights: Int
    public var paused: Int

    public enum Kind: String, Codable, Sendable, CaseIterable { case curve, wake, sleep }

    enum CodingKeys: String, CodingKey {
        case target, course, kind, values, since, until, lights, paused
        case resumeAfter = "resume_after"
    }

    public init(
        target: String, course: String, kind: Kind, values: [FollowedValue], since: String,
        until: String? = nil, resumeAfter: Double? = nil, lights: Int, paused: Int
    ) {
        self.target = target
        self.course = course
        self.kind = kind
        self.values = values
        self.since = since
        self.until = until
        self.resumeAfter = resumeAfter
        self.lights = lights
        self.paused = paused
    }
}

/// What a value of one light follows.
public struct FollowedValueBody: Codable, Equatable, Sendable {
    public var value: FollowedValue
    /// "daylight", "wake-up"
    public var course: String
    /// The target that follows it, as a command names it.
    public var target: String
    /// The hand that has changed it, so that it is left alone; absent while it follows.
    public var paused: CauseBody?

    public init(value: FollowedValue, course: String, target: String, paused: CauseBody? = nil) {
        self.value = value
        self.course = course
        self.target = target
        self.paused = paused
    }
}

/// A curve that lights can follow.
public struct CurveBody: Codable, Equatable, Sendable {
    public var name: String
    /// "06:30 40% 2700K", "sunset - 20m 60%", "sun -6° 2200K", in the order in which they were written.
    public var points: [String]
    /// Whether lightd has it: removing it brings back what it was.
    public var isBuiltIn: Bool
    /// Whether a person has drawn it.
    public var isUserDefined: Bool

    enum CodingKeys: String, CodingKey {
        case name, points
        case isBuiltIn = "built_in"
        case isUserDefined = "own"
    }

    public init(name: String, points: [String], isBuiltIn: Bool, isUserDefined: Bool) {
        self.name = name
        self.points = points
        self.isBuiltIn = isBuiltIn
        self.isUserDefined = isUserDefined
    }
}
