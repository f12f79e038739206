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
