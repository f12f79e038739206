/// A date and a time of day as written on a calendar, with or without the zone it is meant in.
struct CivilTime: Equatable, Sendable {
    let (year, month, day): (Int, Int, Int)
    let (hour, minute, second): (Int, Int, Int)
    let millisecond: Int
    /// Seconds east of Greenwich; `nil` for the local time, wherever that is.
    let offset: Int?

    /// Reads "2026-11-21", "2026-11-21T10:00", "2026-11-21T10:00:30.5Z", "2026-11-21 10:00+01:00"; `nil` for anything else,
    /// and for days and hours that no calendar has.
    init?(_ text: String) {
        var rest = text[...]
        func number(_ digits: Int) -> Int? {
            let part = rest.prefix(digits)
            guard part.count == digits, part.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
            rest = rest.dropFirst(digits)
            return Int(part)
        }
        func eat(_ characters: Character...) -> Bool {
            guard let first = rest.first, characters.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        guard let year = number(4), eat("-"), let month = number(2), eat("-"), let day = number(2) else { return nil }
        var (hour, minute, second, millisecond) = (0, 0, 0, 0)
        var offset: Int?
        if !rest.isEmpty {
            guard eat("T", "t", " "), let h = number(2), eat(":"), let m = number(2) else { return nil }
            (hour, minute) = (h, m)
            if eat(":") {
                guard let s = number(2) else { return nil }
                second = s
                if eat(".") {
                    let digits = rest.prefix { $0.isASCII && $0.isNumber }
                    guard !digits.isEmpty, let thousandths = Int((digits + "00").prefix(3)) else { return nil }
                    rest = rest.dropFirst(digits.count)
                    millisecond = thousandths
                }
            }
            if eat("Z", "z") {
                offset = 0
            } else if let sign = rest.first, "+-".contains(sign) {
                rest = rest.dropFirst()
                guard let h = number(2), rest.isEmpty || eat(":") else { return nil }
                guard let m = rest.isEmpty ? 0 : number(2), h < 24, m < 60 else { return nil }
                offset = (h * 3600 + m * 60) * (sign == "-" ? -1 : 1)
            }
        }
        guard rest.isEmpty, (1...12).contains(month), (1...Self.days(of: month, in: year)).contains(day), hour < 24,
            minute < 60, second < 60
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
        (self.millisecond, self.offset) = (millisecond, offset)
    }

    /// What the calendar shows so many milliseconds after 1970, so far east of Greenwich.
    init(milliseconds: Int64, offset: Int) {
        let local = milliseconds + Int64(offset) * 1000
        let days = local >= 0 ? local / 86_400_000 : (local - 86_399_999) / 86_400_000
        let within = Int(local - days * 86_400_000)
        (year, month, day) = Self.date(Int(days))
        (hour, minute, second) = (within / 3_600_000, within / 60_000 % 60, within / 1000 % 60)
        millisecond = within % 1000
        self.offset = offset
    }

    /// Milliseconds since 1970, read as if at Greenwich.
    var millisecondsAtGreenwich: Int64 {
        Int64(Self.daysSince1970(year, month, day)) * 86_400_000
            + Int64(hour * 3_600_000 + minute * 60_000 + second * 1000 + millisecond)
    }

    private static func days(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    // Both ways after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years begin in March, so that the leap
    // day is the last of its year; an era is 400 years, 146,097 days.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(_ daysSince1970: Int) -> (Int, Int, Int) {
        let days = daysSince1970 + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
