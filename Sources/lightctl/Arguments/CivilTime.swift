import Glibc

/// A calendar date and time of day, with or without a time zone.
struct CivilTime: Equatable, Sendable {
    let (year, month, day): (Int, Int, Int)
    let (hour, minute, second): (Int, Int, Int)
    let millisecond: Int
    /// Seconds east of UTC; `nil` for local time.
    let offset: Int?

    /// Parses "2026-11-21", "2026-11-21T10:00", "2026-11-21T10:00:30.5Z", "2026-11-21 10:00+01:00". Returns `nil` for
    /// any other form and for dates and times that do not exist.
    init?(_ text: String) {
        var rest = text[...]
        func number(_ digits: Int) -> Int? {
            let part = rest.prefix(digits)
            guard part.count == digits, part.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
            rest = rest.dropFirst(digits)
            return Int(part)
        }
        func skip(_ characters: Character...) -> Bool {
            guard let first = rest.first, characters.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2) else { return nil }
        var (hour, minute, second, millisecond) = (0, 0, 0, 0)
        var offset: Int?
        if !rest.isEmpty {
            guard skip("T", "t", " "), let h = number(2), skip(":"), let m = number(2) else { return nil }
            (hour, minute) = (h, m)
            if skip(":") {
                guard let s = number(2) else { return nil }
                second = s
                if skip(".") {
                    let digits = rest.prefix { $0.isASCII && $0.isNumber }
                    guard !digits.isEmpty, let thousandths = Int((digits + "00").prefix(3)) else { return nil }
                    rest = rest.dropFirst(digits.count)
                    millisecond = thousandths
                }
            }
            if skip("Z", "z") {
                offset = 0
            } else if let sign = rest.first, "+-".contains(sign) {
                rest = rest.dropFirst()
                guard let h = number(2), rest.isEmpty || skip(":") else { return nil }
                guard let m = rest.isEmpty ? 0 : number(2), h < 24, m < 60 else { return nil }
                offset = (h * 3600 + m * 60) * (sign == "-" ? -1 : 1)
            }
        }
        guard rest.isEmpty, hour < 24, minute < 60, second < 60 else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
        (self.millisecond, self.offset) = (millisecond, offset)
        // A date that does not exist comes back as another one: 30 February as 2 March.
        let same = CivilTime(milliseconds: millisecondsAsUTC, offset: 0)
        guard (same.year, same.month, same.day) == (year, month, day) else { return nil }
    }

    /// - Parameters:
    ///   - milliseconds: since 1 January 1970, 00:00 UTC.
    ///   - offset: seconds east of UTC.
    init(milliseconds: Int64, offset: Int) {
        // Rounded down, so that times before 1970 are right too.
        let second = Int64((Double(milliseconds) / 1000).rounded(.down))
        var local = time_t(second) + offset
        var parts = tm()
        gmtime_r(&local, &parts)
        (year, month, day) = (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
        (hour, minute, self.second) = (Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
        millisecond = Int(milliseconds - second * 1000)
        self.offset = offset
    }

    /// Milliseconds since 1970 if this date and time were UTC.
    var millisecondsAsUTC: Int64 {
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
        return Int64(timegm(&parts)) * 1000 + Int64(millisecond)
    }
}
