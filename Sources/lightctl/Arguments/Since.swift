import CommandGrammar

/// The start or the end of a time range: an age ("1h", "30m", "2d") or a moment ("2026-11-21", "2026-11-21T10:00"). A moment is
/// local time unless it ends in "Z" or an offset such as "+01:00".
enum Since: Equatable, Sendable {
    case ago(milliseconds: Int)
    case moment(CivilTime)

    init(argument: String) throws(ArgumentError) {
        if let time = CivilTime(argument) {
            self = .moment(time)
        } else if let span = try? TimeSpan(argument: argument) {  // its error would mention only time spans
            self = .ago(milliseconds: span.milliseconds)
        } else {
            throw ArgumentError("not a time: use an age such as 1h, 30m or 2d, or a time such as 2026-11-21T10:00")
        }
    }

    /// The moment in UTC.
    func moment(in clock: WallClock) -> Moment {
        switch self {
        case let .ago(milliseconds): Moment(milliseconds: clock.now.milliseconds - Int64(milliseconds))
        case let .moment(time): clock.moment(of: time)
        }
    }
}
