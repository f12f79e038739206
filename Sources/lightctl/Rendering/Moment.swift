/// A point in time, written in the control API as ISO 8601 in UTC.
struct Moment: Equatable, Comparable, Sendable {
    /// Since 1 January 1970, 00:00 UTC.
    let milliseconds: Int64

    init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// `nil` if the text is not a moment or has no time zone.
    init?(iso text: String) {
        guard let time = CivilTime(text), let offset = time.offset else { return nil }
        milliseconds = time.millisecondsAsUTC - Int64(offset) * 1000
    }

    var iso: String {
        let time = CivilTime(milliseconds: milliseconds, offset: 0)
        return "\(time.date)T\(time.clock)\(time.millisecond == 0 ? "" : "." + padded(time.millisecond, 3))Z"
    }

    static func < (one: Self, other: Self) -> Bool { one.milliseconds < other.milliseconds }
}

extension CivilTime {
    /// "2026-11-21"
    var date: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }
    /// "10:42:03"
    var clock: String { "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))" }
}

func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
