/// From when on: a span back from now ("1h", "30m", "2d"), or a moment ("2026-11-21", "2026-11-21T10:00", with "Z" or
/// "+01:00" where it is not the local time).
enum Since: Equatable, Sendable {
    case ago(milliseconds: Int)
    case moment(CivilTime)

    static let forms = "a span such as 1h, 30m or 2d, or a moment such as 2026-11-21T10:00"

    init(argument: String) throws(ArgumentError) {
        if let time = CivilTime(argument) {
            self = .moment(time)
        } else if let span = try? TimeSpan(argument: argument) {  // what it would say is said better below
            self = .ago(milliseconds: span.milliseconds)
        } else {
            throw ArgumentError("write \(Self.forms)")
        }
    }

    /// The moment in UTC, given the present and the local zone.
    func moment(in clock: WallClock) -> Moment {
        switch self {
        case let .ago(milliseconds): Moment(milliseconds: clock.now.milliseconds - Int64(milliseconds))
        case let .moment(time): clock.moment(of: time)
        }
    }
}
