/// A day of the Gregorian calendar, without a time zone. Written "2026-12-24".
public struct CivilDate: Hashable, Comparable, Sendable {
    /// Days since 1 January 1970.
    public let number: Int

    public init(number: Int) {
        self.number = number
    }

    /// `nil` for a day that does not exist, such as 30 February.
    public init?(year: Int, month: Int, day: Int) {
        guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        self.init(number: Self.number(year, month, day))
        // 30 February comes back as 2 March.
        guard (self.year, self.month, self.day) == (year, month, day) else { return nil }
    }

    public var year: Int { parts.year }
    /// 1 to 12.
    public var month: Int { parts.month }
    /// 1 to 31.
    public var day: Int { parts.day }
    public var weekday: Weekdays { Weekdays.each[(number + 3).modulo(7)] }

    public func advanced(by days: Int) -> Self { Self(number: number + days) }

    public static func < (one: Self, other: Self) -> Bool { one.number < other.number }

    // Both are Howard Hinnant's, "chrono-compatible low-level date algorithms": years begin on 1 March, so that the day
    // that only some years have is the last one.
    static func number(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let era = year.dividedDown(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private var parts: (year: Int, month: Int, day: Int) {
        let shifted = number + 719_468
        let era = shifted.dividedDown(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isAfterFebruary = month < 10
        return (
            yearOfEra + era * 400 + (isAfterFebruary ? 0 : 1), isAfterFebruary ? month + 3 : month - 9,
            dayOfYear - (153 * month + 2) / 5 + 1
        )
    }
}

extension CivilDate: TimeText {
    public var description: String { "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))" }

    public init(from reader: inout TimeReader) throws(TimeTextError) { self = try reader.date() }
}

extension BinaryInteger {
    /// The quotient, rounded down also below zero.
    func dividedDown(by divisor: Self) -> Self { (self - modulo(divisor)) / divisor }

    /// The remainder, never negative.
    func modulo(_ divisor: Self) -> Self {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }

    /// With zeros before it, at least so long.
    func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
