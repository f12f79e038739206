public import Khipu

/// When something is to happen, by the clock or the sun alone.
///
/// Written "06:45", "sunset - 20m", "06:45 mon-fri", "every 30m between 18:00 and 23:00", "every 2h sat,sun",
/// "2026-12-24T17:30:00Z", "20m after 2026-12-24T17:30:00Z".
public enum ClockTrigger: Hashable, Sendable {
    case at(Moment, Weekdays = .all)
    /// At `from`, and then each time so much more time has passed, as long as it is before `to`. The days are those on
    /// which it begins.
    case every(Duration, from: Moment, to: Moment, Weekdays = .all)
    case once(Timestamp)
    /// When so much time has passed since a moment. A timer's moment is moved along if the clock is set meanwhile.
    case after(Duration, since: Timestamp)

    /// Between two occurrences.
    static let steps = Duration.seconds(1)...Duration.seconds(24 * 3600)
    /// How long ``after(_:since:)`` can be.
    public static let waits = Duration.milliseconds(1)...Duration.seconds(366 * 86_400)

    /// When it comes, if it comes once.
    public var moment: Timestamp? {
        switch self {
        case .at, .every: nil
        case let .once(time): time
        case let .after(duration, since: time): time.advanced(by: duration)
        }
    }

    /// Whether it needs the home's ``HomeTime/place``.
    public var needsPlace: Bool {
        switch self {
        case let .at(moment, _): moment.needsPlace
        case let .every(_, from, to, _): from.needsPlace || to.needsPlace
        case .once, .after: false
        }
    }
}

extension ClockTrigger: TimeText {
    public var description: String {
        switch self {
        case let .at(moment, days): "\(moment)" + suffix(days)
        case .every(let step, .time(.midnight), .time(.midnight), let days): "every \(step.timeText)" + suffix(days)
        case let .every(step, from, to, days): "every \(step.timeText) between \(from) and \(to)" + suffix(days)
        case let .once(time): time.utcText
        case let .after(duration, since: time): "\(duration.timeText) after \(time.utcText)"
        }
    }

    private func suffix(_ days: Weekdays) -> String { days == .all ? "" : " \(days)" }

    public init(from reader: inout TimeReader) throws(TimeTextError) { self = try reader.clockTrigger() }
}
