import CommandGrammar

/// When something ends: a time of day ("18:00", the next one), a moment ("2026-12-01", "2026-12-01T18:00"), or after a
/// length of time ("10d"). A time is local unless it ends in "Z" or an offset such as "+01:00".
enum Until: Equatable, Sendable {
    case after(milliseconds: Int)
    case moment(CivilTime)
    /// Minutes since midnight.
    case timeOfDay(Int)

    init(argument: String) throws(ArgumentError) {
        if let time = CivilTime(argument) {
            self = .moment(time)
        } else if let minutes = Self.minutes(argument) {
            self = .timeOfDay(minutes)
        } else if let span = try? TimeSpan(argument: argument) {  // its error would mention only time spans
            self = .after(milliseconds: span.milliseconds)
        } else {
            throw ArgumentError("not a time: use one such as 18:00, 2026-12-01T18:00 or 10d")
        }
    }

    /// The moment in UTC.
    func moment(in clock: WallClock) -> Moment {
        switch self {
        case let .after(milliseconds): Moment(milliseconds: clock.now.milliseconds + Int64(milliseconds))
        case let .moment(time): clock.moment(of: time)
        case let .timeOfDay(minutes): clock.next(minutes)
        }
    }

    private static func minutes(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].count == 2, parts.allSatisfy({ $0.allSatisfy { ("0"..."9").contains($0) } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }
}

extension WallClock {
    /// The next moment at which clocks show so many minutes since midnight.
    fileprivate func next(_ minutes: Int) -> Moment {
        let hour = Int64(3_600_000)
        let times = [0, 24 * hour].compactMap { later -> Moment? in
            let seconds = (now.milliseconds + later) / 1000
            let date = CivilTime(milliseconds: seconds * 1000, offset: zone(seconds)).date
            let (hours, rest) = ("\(minutes / 60)", "\(minutes % 60)")
            let clock = "\(hours.count < 2 ? "0" : "")\(hours):\(rest.count < 2 ? "0" : "")\(rest)"
            return CivilTime("\(date)T\(clock)").map { moment(of: $0) }
        }
        return times.first { $0 > now } ?? now
    }
}
