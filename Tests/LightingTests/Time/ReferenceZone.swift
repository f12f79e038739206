import Khipu
import Lighting

/// The civil time of a zone by its rule of today, calculated in another way than by lightd's own ``CivilZone``: days are
/// counted from a table of months, and moments tried out.
struct ReferenceZone: Sendable {
    /// Seconds east of UTC.
    let standard: Int
    /// When the clocks go forward by an hour, and when back; `nil` without summer time.
    let summer: (from: Change, to: Change)?

    struct Change: Sendable {
        /// 1 to 12.
        let month: Int
        /// The first, second … Sunday; -1 is the last.
        let sunday: Int
        /// Of UTC.
        let hour: Int

        func second(in year: Int) -> Int {
            let first = ReferenceZone.day(year, month, 1)
            let firstSunday = first + 6 - ReferenceZone.weekday(first)
            guard sunday < 0 else { return (firstSunday + 7 * (sunday - 1)) * 86_400 + hour * 3600 }
            let next = month == 12 ? ReferenceZone.day(year + 1, 1, 1) : ReferenceZone.day(year, month + 1, 1)
            // The last one is four weeks after the first, or one more if the month has room for it.
            let last = firstSunday + 28 < next ? firstSunday + 28 : firstSunday + 21
            return last * 86_400 + hour * 3600
        }
    }

    static let berlin = Self(
        standard: 3600,
        summer: (Change(month: 3, sunday: -1, hour: 1), Change(month: 10, sunday: -1, hour: 1)))
    static let newYork = Self(
        standard: -5 * 3600, summer: (Change(month: 3, sunday: 2, hour: 7), Change(month: 11, sunday: 1, hour: 6)))
    static let kathmandu = Self(standard: 5 * 3600 + 45 * 60, summer: nil)

    /// Days since 1 January 1970.
    static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let leaps = { (year: Int) in year / 4 - year / 100 + year / 400 }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let months = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (year - 1970) * 365 + leaps(year - 1) - leaps(1969) + months[..<(month - 1)].reduce(0, +) + day - 1
    }

    /// 0 is a Monday. 1 January 1970 was a Thursday.
    static func weekday(_ day: Int) -> Int { ((day + 3) % 7 + 7) % 7 }

    /// Seconds east of UTC at a second since 1970.
    func offset(at second: Int) -> Int {
        guard let summer else { return standard }
        var year = 1970 + second / 31_556_952
        if Self.day(year + 1, 1, 1) * 86_400 <= second { year += 1 }
        if Self.day(year, 1, 1) * 86_400 > second { year -= 1 }
        return (summer.from.second(in: year)..<summer.to.second(in: year)).contains(second)
            ? standard + 3600 : standard
    }

    /// The day that its calendar shows.
    func day(at time: Timestamp) -> Int {
        let second = Int(time.milliseconds / 1000)
        return (second + offset(at: second)) / 86_400
    }

    /// The first second at which its clocks show this time or, on a day that skips it, a later one.
    func instant(of secondOfDay: Int, on day: Int) -> Timestamp {
        let local = day * 86_400 + secondOfDay
        for offset in [standard + 3600, standard] where self.offset(at: local - offset) == offset {
            return Timestamp(milliseconds: Int64(local - offset) * 1000)
        }
        // Skipped: the change is within the hour before it would be by winter time.
        var second = local - standard - 3600
        while offset(at: second) == standard { second += 60 }
        return Timestamp(milliseconds: Int64(second) * 1000)
    }
}
