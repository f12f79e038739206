public import Khipu

/// A moment of the day: by the clock, or by the sun.
///
/// Written "06:45", "noon", "midnight", "sunrise", "sunset - 20m", "dusk + 1h30m", "solar noon".
public enum Moment: Hashable, Sendable {
    case time(TimeOfDay)
    /// So long after the event; before it if negative. At most 12 hours.
    case sun(SunEvent, offset: Duration = .zero)

    /// The farthest from the sun's event that a text may ask for.
    static let longestOffset = Duration.seconds(12 * 3600)

    /// Whether it needs the home's ``HomeTime/place``.
    public var needsPlace: Bool {
        if case .sun = self { true } else { false }
    }
}

/// What the sun does once a day; at the poles, not every day.
public enum SunEvent: String, CaseIterable, Hashable, Sendable {
    /// The sun is at its lowest: the one before the day's noon.
    case midnight = "solar midnight"
    /// Civil dawn: the sun is 6° below the horizon.
    case dawn
    /// The sun's upper edge appears: its centre is 0.833° below the horizon.
    case sunrise
    /// The sun is at its highest.
    case noon = "solar noon"
    case sunset
    /// Civil dusk: the sun is 6° below the horizon.
    case dusk
}

extension Moment: TimeText {
    public var description: String {
        switch self {
        case let .time(time): time.description
        case let .sun(event, offset: .zero): event.rawValue
        case let .sun(event, offset):
            "\(event.rawValue) \(offset < .zero ? "-" : "+") \(max(offset, .zero - offset).timeText)"
        }
    }

    public init(from reader: inout TimeReader) throws(TimeTextError) { self = try reader.moment() }
}

extension Timestamp {
    /// No clock that is right shows an earlier time, because lightd was made later. A machine without a clock of its own
    /// starts in 1970, or when its system was built.
    public static let earliestPlausible = Self(milliseconds: 1_767_225_600_000)

    /// Whether a clock that shows this can be right. One that cannot tells how much time passes, but not the hour.
    public var isPlausible: Bool { self >= .earliestPlausible }

    /// Whether the time that has passed since this is known: not if a clock that could not be right showed it, and now one
    /// that can.
    func isComparable(with now: Self) -> Bool { isPlausible || !now.isPlausible }

    /// Not later than this; just this if it was timed by a clock that could not be right, and now one can.
    func held(to latest: Self, at now: Self) -> Self { isComparable(with: now) ? min(self, latest) : latest }
}

extension Failure {
    /// What goes by the hour cannot be promised by a clock that shows this.
    static func wrongClock(_ now: Timestamp) -> Self { .impossible("\(now.wrongClockWords); it has to be set first") }
}

extension Timestamp {
    /// "the clock of this machine shows 1970-01-01, which cannot be right"
    public var wrongClockWords: String {
        "the clock of this machine shows \(HomeTime.utc.date(at: self)), which cannot be right"
    }
}
