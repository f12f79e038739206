import CommandGrammar

/// The start or the end of a time range: an age ("1h", "30m", "2d"), the beginning of a day ("today", "yesterday") or a moment
/// ("2026-11-21", "2026-11-21T10:00"). A moment is local time unless it ends in "Z" or an offset such as "+01:00".
enum Since: Equatable, Sendable {
    case ago(milliseconds: Int)
    case day(RelativeDay)
    case moment(CivilTime)

    init(argument: String) throws(ArgumentError) {
        if let time = CivilTime(argument) {
            self = .moment(time)
        } else if let day = RelativeDay(rawValue: argument.lowercased()), day != .tomorrow {
            self = .day(day)
        } else if let span = try? TimeSpan(argument: argument) {  // its error would mention only time spans
            self = .ago(milliseconds: span.milliseconds)
        } else {
            throw ArgumentError(
                "not a time: use an age such as 1h or 2d, yesterday, or a time such as 2026-11-21T10:00")
        }
    }

    /// The moment in UTC.
    func moment(in clock: WallClock) -> Moment {
        switch self {
        case let .ago(milliseconds): Moment(milliseconds: clock.now.milliseconds - Int64(milliseconds))
        case let .day(day): clock.moment(of: day.from(clock.today))
        case let .moment(time): clock.moment(of: time)
        }
    }
}

/// A day that is named by today.
enum RelativeDay: String, CaseIterable, Sendable {
    case yesterday, today, tomorrow

    /// The beginning of that day.
    func from(_ today: CivilTime) -> CivilTime {
        let days: Int64 = [.yesterday: -1, .today: 0, .tomorrow: 1][self] ?? 0
        let day = CivilTime(milliseconds: today.millisecondsAsUTC + days * 86_400_000, offset: 0)
        return CivilTime(day.date) ?? day
    }
}
