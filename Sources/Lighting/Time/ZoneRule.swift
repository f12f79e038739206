/// How a zone's clocks change every year, as POSIX writes it in `TZ` and at the end of a TZif file (RFC 8536, 3.3):
/// "CET-1CEST,M3.5.0,M10.5.0/3".
struct ZoneRule: Hashable, Sendable {
    /// Seconds east of UTC.
    private let standard: Int
    private let summer: Summer?

    private struct Summer: Hashable {
        let offset: Int
        let start: YearDay
        let end: YearDay
    }

    /// A day of each year, and a time on it.
    fileprivate struct YearDay: Hashable {
        enum Day: Hashable {
            /// The week is 1 to 5, 5 being the last; the weekday counts from Sunday as 0.
            case weekday(Int, week: Int, month: Int)
            /// 1 to 365; 29 February is not counted.
            case julian(Int)
            /// 0 to 365.
            case ordinal(Int)
        }

        let day: Day
        /// Seconds after its midnight, on the clock that holds until then; may be on another day.
        let time: Int
    }

    /// `nil` if the text is not of this form.
    init?(_ text: String) {
        var reader = Reader(rest: text.utf8[...])
        guard reader.name(), let west = reader.time(hours: 24) else { return nil }
        standard = -west
        guard !reader.rest.isEmpty else {
            summer = nil
            return
        }
        guard reader.name() else { return nil }
        var offset = standard + 3600
        if reader.rest.first != UInt8(ascii: ",") {
            guard let west = reader.time(hours: 24) else { return nil }
            offset = -west
        }
        guard let start = reader.yearDay(), let end = reader.yearDay(), reader.rest.isEmpty else { return nil }
        summer = Summer(offset: offset, start: start, end: end)
    }

    /// The time around this one in which nothing changes.
    ///
    /// - Parameter second: since 1970.
    func stretch(at second: Int64) -> CivilZone.Stretch {
        guard let summer else { return .init(offset: standard, start: .min, end: .max) }
        let year = CivilDate(number: Int(second.dividedDown(by: 86_400))).year
        // The changes of this year may lie in the next one, as UTC counts.
        var changes: [(time: Int64, offset: Int)] = []
        for year in year - 1...year + 1 {
            changes.append((summer.end.second(in: year) - Int64(summer.offset), standard))
            changes.append((summer.start.second(in: year) - Int64(standard), summer.offset))
        }
        // At the same time, as in a zone with summer time all year, summer time holds.
        changes.sort { ($0.time, $0.offset == standard ? 0 : 1) < ($1.time, $1.offset == standard ? 0 : 1) }
        let next = changes.firstIndex { $0.time > second } ?? changes.count
        return .init(
            offset: next > 0 ? changes[next - 1].offset : standard, start: next > 0 ? changes[next - 1].time : .min,
            end: next < changes.count ? changes[next].time : .max)
    }

    private struct Reader {
        var rest: Substring.UTF8View

        /// "CEST", "<+0330>"
        mutating func name() -> Bool {
            if take(",", "<") == "<" {
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
                rest = rest[rest.index(after: end)...]
                return true
            }
            let letters = rest.prefix { (65...90).contains($0 & ~32) }
            rest = rest[letters.endIndex...]
            return letters.count >= 3
        }

        /// "-5:30", "+167", "2:00:00", in seconds.
        mutating func time(hours: Int) -> Int? {
            let sign = take("+", "-") == "-" ? -1 : 1
            guard let hour = number(), hour <= hours else { return nil }
            var seconds = hour * 3600
            for unit in [60, 1] where take(":", ":") != nil {
                guard let number = number(), number < 60 else { return nil }
                seconds += number * unit
            }
            return sign * seconds
        }

        /// ",M3.5.0/2", ",J60", ",0/0"
        mutating func yearDay() -> YearDay? {
            guard take(",", ",") != nil else { return nil }
            let day: YearDay.Day
            switch take("M", "J") {
            case "M":
                guard let month = number(), take(".", ".") != nil, let week = number(), take(".", ".") != nil,
                    let weekday = number(), (1...12).contains(month), (1...5).contains(week), weekday < 7
                else { return nil }
                day = .weekday(weekday, week: week, month: month)
            case "J":
                guard let number = number(), (1...365).contains(number) else { return nil }
                day = .julian(number)
            default:
                guard let number = number(), number <= 365 else { return nil }
                day = .ordinal(number)
            }
            guard take("/", "/") != nil else { return YearDay(day: day, time: 2 * 3600) }
            return time(hours: 167).map { YearDay(day: day, time: $0) }
        }

        private mutating func number() -> Int? {
            let digits = rest.prefix { (48...57).contains($0) }
            rest = rest[digits.endIndex...]
            return digits.count <= 3 ? Int(String(Substring(digits))) : nil
        }

        private mutating func take(_ one: Unicode.Scalar, _ other: Unicode.Scalar) -> Unicode.Scalar? {
            guard let first = rest.first.map({ Unicode.Scalar($0) }), first == one || first == other else { return nil }
            rest = rest.dropFirst()
            return first
        }
    }
}

extension ZoneRule.YearDay {
    /// Seconds since 1970, if the local time were UTC.
    fileprivate func second(in year: Int) -> Int64 {
        Int64(number(in: year)) * 86_400 + Int64(time)
    }

    /// Days since 1970.
    private func number(in year: Int) -> Int {
        let start = CivilDate.number(year, 1, 1)
        switch day {
        case let .ordinal(day): return start + day
        case let .julian(day):
            let isLeapYear = CivilDate.number(year + 1, 1, 1) - start == 366
            return start + day - 1 + (isLeapYear && day >= 60 ? 1 : 0)
        case let .weekday(weekday, week, month):
            let first = CivilDate.number(year, month, 1)
            // 1 January 1970 was a Thursday.
            let day = first + (weekday - (first + 4)).modulo(7) + (week - 1) * 7
            let next = month == 12 ? CivilDate.number(year + 1, 1, 1) : CivilDate.number(year, month + 1, 1)
            return day < next ? day : day - 7
        }
    }
}
