import CommandGrammar
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
