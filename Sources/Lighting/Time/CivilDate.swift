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

/// A time on a clock, to the second. Written "06:45", or "06:45:30".
public struct TimeOfDay: Hashable, Comparable, Sendable {
    /// As a clock shows them since midnight, 0 to 86,399: on the day of a time change, not as many as have passed.
    public let seconds: Int

    public static let midnight = Self(hour: 0)
    public static let noon = Self(hour: 12)

    /// - Parameter seconds: since midnight; taken modulo a day.
    public init(seconds: Int) {
        self.seconds = seconds.modulo(86_400)
    }

    public init(hour: Int, minute: Int = 0, second: Int = 0) {
        self.init(seconds: hour * 3600 + minute * 60 + second)
    }

    public var hour: Int { seconds / 3600 }
    public var minute: Int { seconds / 60 % 60 }
    public var second: Int { seconds % 60 }

    public static func < (one: Self, other: Self) -> Bool { one.seconds < other.seconds }
}

extension TimeOfDay: TimeText {
    public var description: String {
        "\(hour.padded(2)):\(minute.padded(2))" + (second == 0 ? "" : ":\(second.padded(2))")
    }

    public init(from reader: inout TimeReader) throws(TimeTextError) { self = try reader.timeOfDay() }
}

/// Days of the week. Written "mon-fri", "sat,sun", "mon,wed-fri".
public struct Weekdays: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let monday = Self(rawValue: 1 << 0)
    public static let tuesday = Self(rawValue: 1 << 1)
    public static let wednesday = Self(rawValue: 1 << 2)
    public static let thursday = Self(rawValue: 1 << 3)
    public static let friday = Self(rawValue: 1 << 4)
    public static let saturday = Self(rawValue: 1 << 5)
    public static let sunday = Self(rawValue: 1 << 6)

    public static let all = Self(each)
    /// From Monday on.
    public static let each: [Self] = [monday, tuesday, wednesday, thursday, friday, saturday, sunday]
    static let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// - Parameter name: "monday" to "sunday"; `nil` for anything else.
    public init?(named name: String) {
        guard let day = Self.names.firstIndex(of: name) else { return nil }
        self = Self.each[day]
    }
}

extension Weekdays: TimeText {
    public var description: String {
        var runs: [ClosedRange<Int>] = []
        for (day, weekday) in Self.each.enumerated() where contains(weekday) {
            if let run = runs.last, run.upperBound == day - 1 {
                runs[runs.count - 1] = run.lowerBound...day
            } else {
                runs.append(day...day)
            }
        }
        return runs.map { run in
            let (first, last) = (Self.names[run.lowerBound].prefix(3), Self.names[run.upperBound].prefix(3))
            return run.count == 1 ? String(first) : "\(first)\(run.count == 2 ? "," : "-")\(last)"
        }.joined(separator: ",")
    }

    public init(from reader: inout TimeReader) throws(TimeTextError) { self = try reader.weekdays() }
}
