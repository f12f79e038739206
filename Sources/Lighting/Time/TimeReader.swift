public import Khipu

/// When something is to happen, by the clock or the sun alone.
///
/// Written "06:45", "sunset - 20m", "06:45 mon-fri", "every 30m between 18:00 and 23:00", "every 2h sat,sun",
/// "2026-12-24T17:30:00Z", "20m after 2026-12-24T17:30:00Z".
public enum ClockTrigger: Hashable, Sendable {
    case at(Moment, Weekdays = .all)
    /// At `from`, and then each time so much more time has passed, as long as it is before `to`. The days are those on
    /// which it begins.
    case every(Duration, from: Moment, to: Moment, Weekdays = .all)
    case once(Timestamp)
    /// When so much time has passed since a moment. A timer's moment is moved along if the clock is set meanwhile.
    case after(Duration, since: Timestamp)

    /// Between two occurrences.
    static let steps = Duration.seconds(1)...Duration.seconds(24 * 3600)
    /// How long ``after(_:since:)`` can be.
    public static let waits = Duration.milliseconds(1)...Duration.seconds(366 * 86_400)

    /// When it comes, if it comes once.
    public var moment: Timestamp? {
        switch self {
        case .at, .every: nil
        case let .once(time): time
        case let .after(duration, since: time): time.advanced(by: duration)
        }
    }

    /// Whether it needs the home's ``HomeTime/place``.
    public var needsPlace: Bool {
        switch self {
        case let .at(moment, _): moment.needsPlace
        case let .every(_, from, to, _): from.needsPlace || to.needsPlace
        case .once, .after: false
        }
    }
}

extension ClockTrigger: TimeText {
    public var description: String {
        switch self {
        case let .at(moment, days): "\(moment)" + suffix(days)
        case .every(let step, .time(.midnight), .time(.midnight), let days): "every \(step.timeText)" + suffix(days)
        case let .every(step, from, to, days): "every \(step.timeText) between \(from) and \(to)" + suffix(days)
        case let .once(time): time.utcText
        case let .after(duration, since: time): "\(duration.timeText) after \(time.utcText)"
        }
    }

    private func suffix(_ days: Weekdays) -> String { days == .all ? "" : " \(days)" }

    public init(from reader: inout TimeReader) throws(TimeTextError) { self = try reader.clockTrigger() }
}

/// Reads times as people write them, from left to right. A grammar that has times in it reads them by the same reader.
public struct TimeReader: Sendable {
    private let characters: [Character]
    /// How many characters have been read.
    public private(set) var offset: Int

    public init(_ text: String) {
        characters = Array(text)
        offset = 0
    }

    /// Whether nothing but spaces is left.
    public var isAtEnd: Bool { characters[offset...].allSatisfy(\.isWhitespace) }

    /// - Throws: unless nothing but spaces is left.
    public mutating func end(expecting expected: String = "the end") throws(TimeTextError) {
        guard isAtEnd else { throw expectation(expected) }
    }

    /// That something else was expected here.
    public mutating func expectation(_ expected: String) -> TimeTextError {
        skipSpaces()
        return TimeTextError(expected: expected, offset: offset)
    }

    /// The letters at which the reader stands, in lowercase; empty if it stands at none. The reader stays.
    public func peekWord() -> String {
        var reader = self
        return reader.nextWord()
    }

    /// Whether the reader stood at this word; if so, it is read.
    public mutating func take(word: String) -> Bool {
        guard peekWord() == word else { return false }
        _ = nextWord()
        return true
    }

    /// Whether the reader stood at one of these characters; if so, it is read.
    public mutating func take(_ expected: Character...) -> Bool {
        var reader = self
        reader.skipSpaces()
        guard let next = reader.next, expected.contains(next) else { return false }
        reader.offset += 1
        self = reader
        return true
    }

    /// Whether the reader stood at this text; if so, it is read.
    mutating func take(text: String) -> Bool {
        var reader = self
        reader.skipSpaces()
        guard reader.characters[reader.offset...].starts(with: text) else { return false }
        reader.offset += text.count
        self = reader
        return true
    }

    // MARK: - Values

    /// The name of a thing: all words before one that ends it, or, in quotation marks, any text.
    ///
    /// - Parameter endsName: whether a word, in lowercase, is no longer part of the name. The first word always is.
    mutating func name(
        _ expected: String, until endsName: (String) -> Bool
    ) throws(TimeTextError) -> String {
        let error = expectation(expected)
        if next == "\"" || next == "'" { return try quoted() }
        var words: [String] = []
        while true {
            let word = peekToken()
            guard !word.isEmpty, words.isEmpty || !endsName(word.lowercased()) else { break }
            words.append(word)
            skipSpaces()
            offset += word.count
        }
        guard !words.isEmpty else { throw error }
        return words.joined(separator: " ")
    }

    /// The characters at which the reader stands, up to the next space or comparison. The reader stays.
    private func peekToken() -> String {
        var reader = self
        reader.skipSpaces()
        return String(characters[reader.offset...].prefix { !$0.isWhitespace && !"<>\"".contains($0) })
    }

    /// Whether the reader stood at these characters and nothing more before the next space; if so, they are read.
    mutating func take(token: String) -> Bool {
        guard peekToken().lowercased() == token else { return false }
        skipSpaces()
        offset += token.count
        return true
    }

    private mutating func quoted() throws(TimeTextError) -> String {
        let mark = next
        var text = ""
        offset += 1
        while let character = next, character != mark {
            if character == "\\", offset + 1 < characters.count { offset += 1 }
            text.append(characters[offset])
            offset += 1
        }
        guard next == mark, !text.isEmpty else {
            throw TimeTextError(expected: text.isEmpty ? "a name" : "the closing quotation mark", offset: offset)
        }
        offset += 1
        return text
    }

    /// "12", "-4", "0.5": at most three decimals.
    mutating func decimal(_ expected: String) throws(TimeTextError) -> Double {
        let error = expectation(expected)
        let isNegative = take("-", "\u{2212}")
        skipSpaces()
        let start = offset
        guard number(digits: 1...7) != nil else { throw error }
        if next == "." {
            offset += 1
            guard number(digits: 1...3) != nil else { throw error }
        }
        guard next?.isNumber != true, let value = Double(String(characters[start..<offset])) else { throw error }
        return isNegative ? -value : value
    }

    /// Whole, from 1.
    mutating func count(_ expected: String) throws(TimeTextError) -> Int {
        let error = expectation(expected)
        guard let number = number(digits: 1...3), number > 0 else { throw error }
        return number
    }

    /// "06:45", "6:45", "06:45:30"
    public mutating func timeOfDay() throws(TimeTextError) -> TimeOfDay {
        let error = expectation(Self.timeExpectation)
        let time = try clockTime()
        // "6:45pm"
        guard next?.isLetter != true else { throw error }
        return time
    }

    /// "06:45", "noon", "sunset - 20m"
    public mutating func moment() throws(TimeTextError) -> Moment {
        let error = expectation("a time such as 06:45, or sunrise, sunset, dawn, dusk, noon, midnight")
        if next?.isNumber == true { return .time(try timeOfDay()) }
        if take(word: "noon") { return .time(.noon) }
        if take(word: "midnight") { return .time(.midnight) }
        guard let event = sunEvent() else { throw error }
        // "–" and "−" come with texts copied from web pages.
        let isBefore = take("-", "\u{2212}", "\u{2013}")
        guard isBefore || take("+") else { return .sun(event) }
        let tooFar = expectation("at most \(Moment.longestOffset.timeText)")
        let offset = try duration()
        guard offset <= Moment.longestOffset else { throw tooFar }
        return .sun(event, offset: isBefore ? .zero - offset : offset)
    }

    /// "20m", "1h30m", "1h 30m", "45s", "500ms"; above zero, at most 366 days.
    public mutating func duration() throws(TimeTextError) -> Duration {
        let error = expectation("a duration such as 30s, 20m or 1h30m")
        var sum = Duration.zero
        var units = Duration.units[...]
        repeat {
            skipSpaces()
            guard let number = number(digits: 1...7) else { throw error }
            let name = String(letters())
            guard let unit = units.firstIndex(where: { $0.names.contains(name) }) else { throw error }
            sum += units[unit].duration * number
            units = units[(unit + 1)...]
        } while !units.isEmpty && isAtNumber
        guard sum > .zero, sum <= .seconds(366 * 86_400) else { throw error }
        return sum
    }

    /// "mon-fri", "sat,sun", "sat and sun", "Monday"
    public mutating func weekdays() throws(TimeTextError) -> Weekdays {
        var days: Weekdays = []
        repeat {
            let first = try weekday()
            let last = take("-", "\u{2013}") ? try weekday() : first
            days.formUnion(Weekdays.each[first])
            for day in 0..<(last - first).modulo(7) { days.formUnion(Weekdays.each[(first + day + 1) % 7]) }
        } while take(",") || take(word: "and")
        return days
    }

    /// "06:45 mon-fri", "every 30m between 18:00 and 23:00", "2026-12-24T17:30:00Z", "20m after 2026-12-24T17:30:00Z"
    ///
    /// - Parameter home: whose time a date and time without an offset are; `nil` refuses them.
    public mutating func clockTrigger(in home: HomeTime? = nil) throws(TimeTextError) -> ClockTrigger {
        if isAtDate { return .once(try timestamp(in: home)) }
        var ahead = self
        if let duration = try? ahead.duration(), ahead.take(word: "after") {
            self = ahead
            return .after(duration, since: try timestamp(in: home))
        }
        guard take(word: "every") else {
            let moment = try moment()
            return .at(moment, try weekdaysOrEnd())
        }
        let outOfRange = expectation("a duration from 1s to 24h")
        let step = try duration()
        guard ClockTrigger.steps.contains(step) else { throw outOfRange }
        var (from, to) = (Moment.time(.midnight), Moment.time(.midnight))
        if take(word: "between") {
            from = try moment()
            guard take(word: "and") else { throw expectation("and") }
            to = try moment()
        }
        return .every(step, from: from, to: to, try weekdaysOrEnd())
    }

    /// A word that is no day is taken for one that is written in another way: "mo-fr", "weekdays".
    private mutating func weekdaysOrEnd() throws(TimeTextError) -> Weekdays {
        peekWord().isEmpty ? .all : try weekdays()
    }

    /// "2026-12-24"
    public mutating func date() throws(TimeTextError) -> CivilDate {
        let error = expectation("a date such as 2026-12-24")
        guard let year = number(digits: 4...4), take("-"), let month = number(digits: 2...2), take("-"),
            let day = number(digits: 2...2), let date = CivilDate(year: year, month: month, day: day)
        else { throw error }
        return date
    }

    /// "2026-12-24T17:30:00Z", "2026-12-24 18:30+01:00"
    ///
    /// - Parameter home: as for ``clockTrigger(in:)``.
    public mutating func timestamp(in home: HomeTime? = nil) throws(TimeTextError) -> Timestamp {
        let outOfRange = expectation("a time in the years 0 to 9999")
        let date = try date()
        if next == "T" || next == "t" { offset += 1 }
        let time = try clock()
        if let home, isAtEnd {
            guard let instant = home.zone.instant(of: TimeOfDay(seconds: time.seconds), on: date) else {
                throw outOfRange
            }
            return instant
        }
        let second = date.number * 86_400 + time.seconds - (try offsetFromUTC())
        // The offset may lead out of the years that are written with four digits.
        guard (0...9999).contains(CivilDate(number: second.dividedDown(by: 86_400)).year) else { throw outOfRange }
        return Timestamp(milliseconds: Int64(second) * 1000 + Int64(time.milliseconds))
    }

    // MARK: - Parts

    private var next: Character? { offset < characters.count ? characters[offset] : nil }

    private mutating func skipSpaces() {
        while next?.isWhitespace == true { offset += 1 }
    }

    private mutating func letters() -> [Character] {
        let start = offset
        while next?.isLetter == true { offset += 1 }
        return characters[start..<offset].flatMap { $0.lowercased() }
    }

    private mutating func nextWord() -> String {
        skipSpaces()
        return String(letters())
    }

    var isAtNumber: Bool {
        var reader = self
        reader.skipSpaces()
        return reader.next?.isASCIIDigit == true
    }

    /// Reads so many digits, or as many as there are. Does nothing if there are too few or too many.
    private mutating func number(digits: ClosedRange<Int>) -> Int? {
        let run = characters[offset...].prefix { $0.isASCIIDigit }
        guard digits.contains(run.count), let number = Int(String(run)) else { return nil }
        offset += run.count
        return number
    }

    /// Behind a colon: "45".
    private mutating func sixtieth(_ error: TimeTextError) throws(TimeTextError) -> Int {
        offset += 1
        guard let number = number(digits: 2...2), number < 60 else { throw error }
        return number
    }

    private mutating func sunEvent() -> SunEvent? {
        let word = peekWord()
        if word == "solar" {
            var reader = self
            _ = reader.nextWord()
            guard let event = SunEvent(rawValue: "solar \(reader.nextWord())") else { return nil }
            self = reader
            return event
        }
        guard let event = SunEvent(rawValue: word) else { return nil }
        _ = nextWord()
        return event
    }

    var isAtWeekday: Bool { Self.weekday(peekWord()) != nil }

    private mutating func weekday() throws(TimeTextError) -> Int {
        guard let day = Self.weekday(peekWord()) else {
            throw expectation("days of the week: mon, tue, wed, thu, fri, sat or sun, or several such as mon-fri")
        }
        _ = nextWord()
        return day
    }

    private static func weekday(_ word: String) -> Int? {
        Weekdays.names.firstIndex { $0 == word || $0.prefix(3) == word }
    }

    private var isAtDate: Bool {
        var reader = self
        reader.skipSpaces()
        return reader.number(digits: 4...4) != nil && reader.next == "-"
    }

    private static let timeExpectation = "a time from 00:00 to 23:59"

    private mutating func clockTime() throws(TimeTextError) -> TimeOfDay {
        let error = expectation(Self.timeExpectation)
        guard let hour = number(digits: 1...2), next == ":" else { throw error }
        let minute = try sixtieth(error)
        let second = next == ":" ? try sixtieth(error) : 0
        guard hour < 24, next?.isNumber != true else { throw error }
        return TimeOfDay(hour: hour, minute: minute, second: second)
    }

    /// "17:30", "17:30:00", "17:30:00.250"
    private mutating func clock() throws(TimeTextError) -> (seconds: Int, milliseconds: Int) {
        let time = try clockTime()
        guard next == "." else { return (time.seconds, 0) }
        let error = expectation("milliseconds")
        offset += 1
        let start = offset
        guard let number = number(digits: 1...3) else { throw error }
        return (time.seconds, number * [100, 10, 1][offset - start - 1])
    }

    /// "Z", "+01:00", "-0330": seconds east of UTC.
    private mutating func offsetFromUTC() throws(TimeTextError) -> Int {
        if take("Z", "z") { return 0 }
        let error = expectation("Z or an offset from UTC such as +01:00")
        let isWest = take("-", "\u{2212}")
        guard isWest || take("+") else { throw error }
        var seconds: Int
        if let both = number(digits: 4...4) {
            seconds = both / 100 * 3600 + both % 100 * 60
            guard both % 100 < 60 else { throw error }
        } else {
            guard let hours = number(digits: 2...2) else { throw error }
            seconds = hours * 3600
            if next == ":" { seconds += try sixtieth(error) * 60 }
        }
        guard seconds < 86_400 else { throw error }
        return isWest ? -seconds : seconds
    }
}

extension Duration {
    fileprivate static let units: [(names: [String], duration: Duration)] = [
        (["d"], .seconds(86_400)), (["h"], .seconds(3600)), (["m", "min"], .seconds(60)), (["s"], .seconds(1)),
        (["ms"], .milliseconds(1)),
    ]

    /// As it is written among times: "1h30m", "45s". To the millisecond, and only above zero.
    public var timeText: String {
        guard self > .zero else { return "0s" }
        var rest = self
        var text = ""
        for unit in Self.units {
            let count = Int(rest / unit.duration)
            guard count > 0 else { continue }
            text += "\(count)\(unit.names[0])"
            rest -= unit.duration * count
        }
        return text
    }
}

extension Timestamp {
    /// "2026-12-24T17:30:00Z", with milliseconds if it has any.
    var utcText: String {
        let day = milliseconds.dividedDown(by: 86_400_000)
        let time = TimeOfDay(seconds: Int(milliseconds.modulo(86_400_000) / 1000))
        let rest = milliseconds.modulo(1000)
        return "\(CivilDate(number: Int(day)))T\(time.hour.padded(2)):\(time.minute.padded(2)):\(time.second.padded(2))"
            + (rest == 0 ? "" : ".\(rest.padded(3))") + "Z"
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}

/// A value with a text form, in which it is also encoded.
public protocol TextCodable: Codable, CustomStringConvertible {
    /// Reads the whole text. Case and spaces do not matter.
    init(_ text: String) throws(TimeTextError)
}

/// A time, or what consists of times.
public protocol TimeText: TextCodable {
    /// Reads it from where the reader stands, and leaves the reader behind it.
    init(from reader: inout TimeReader) throws(TimeTextError)
}

/// Why a text was not understood.
public struct TimeTextError: Error, Equatable, Sendable, CustomStringConvertible {
    /// "a time such as 06:45"
    public let expected: String
    /// How many characters are before the one at which it was expected.
    public let offset: Int

    public init(expected: String, offset: Int) {
        self.expected = expected
        self.offset = offset
    }

    public var description: String { "expected \(expected) at character \(offset + 1)" }
}

extension TimeText {
    public init(_ text: String) throws(TimeTextError) {
        var reader = TimeReader(text)
        try self.init(from: &reader)
        try reader.end()
    }
}

extension TextCodable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)': \(error)")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
