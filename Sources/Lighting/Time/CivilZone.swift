public import Khipu

/// The civil time of a zone: how far its clocks are from UTC, and when that changes.
public struct CivilZone: Hashable, Sendable {
    /// "Europe/Berlin"
    public let name: String
    /// When the offset changed, in seconds since 1970, in order.
    private let changes: [Int64]
    /// Seconds east of UTC: before the first change, then from each change on.
    private let offsets: [Int]
    /// How it goes on after the last change; `nil` if nothing changes any more.
    private let rule: ZoneRule?

    /// - Parameters:
    ///   - offset: before the first change.
    ///   - rule: for what comes after the last one.
    init(name: String, from offset: Int, changes: [(time: Int64, offset: Int)], rule: ZoneRule?) {
        self.name = name
        self.rule = rule
        // Looking up a change is faster than deriving it.
        var changes = changes
        var next = rule.map { $0.stretch(at: changes.last?.time ?? Self.firstDerived) }
        if let next, changes.isEmpty { changes = [(Self.firstDerived, next.offset)] }
        while let stretch = next, stretch.end < Self.lastDerived {
            next = rule?.stretch(at: stretch.end)
            if let next { changes.append((next.start, next.offset)) }
        }
        self.changes = changes.map(\.time)
        offsets = [offset] + changes.map(\.offset)
    }

    /// 1970 and 2100, in seconds since 1970.
    private static let (firstDerived, lastDerived): (Int64, Int64) = (0, 4_102_444_800)

    /// A zone with the same rule in all years, as POSIX writes it in `TZ`: "CET-1CEST,M3.5.0,M10.5.0/3". `nil` if the text
    /// is not of this form.
    public init?(rule text: String) {
        guard let rule = ZoneRule(text) else { return nil }
        self.init(name: text, from: 0, changes: [], rule: rule)
    }

    /// A zone without time changes.
    ///
    /// - Parameter seconds: east of UTC.
    public static func fixed(_ seconds: Int, name: String = "fixed") -> Self {
        Self(name: name, from: seconds, changes: [], rule: nil)
    }

    public static let utc = fixed(0, name: "UTC")

    /// Seconds east of UTC.
    public func offset(at time: Timestamp) -> Int { stretch(at: time.seconds).offset }

    /// The day that the calendar shows.
    public func date(at time: Timestamp) -> CivilDate {
        CivilDate(number: Int(local(time).dividedDown(by: 86_400)))
    }

    /// The time that the clock shows.
    public func timeOfDay(at time: Timestamp) -> TimeOfDay {
        TimeOfDay(seconds: Int(local(time).modulo(86_400)))
    }

    /// The first moment at which the clock shows this time of this day, or a later one. A time that is skipped is
    /// therefore at the change, and one that comes twice is the first of the two.
    ///
    /// - Returns: `nil` for a day that is skipped, as 30 December 2011 was in Samoa.
    public func instant(of time: TimeOfDay, on date: CivilDate) -> Timestamp? {
        let instant = firstInstant(showing: date, time)
        // The last time of a day may be skipped without the day.
        let exists = self.date(at: instant) == date || self.date(at: firstInstant(showing: date, .midnight)) == date
        return exists ? instant : nil
    }

    /// Like ``instant(of:on:)``, but the moment of the change for a day that is skipped.
    func firstInstant(showing date: CivilDate, _ time: TimeOfDay) -> Timestamp {
        let local = Int64(date.number) * 86_400 + Int64(time.seconds)
        // No zone is farther from UTC.
        var stretch = stretch(at: local - 26 * 3600)
        while stretch.end <= local - Int64(stretch.offset) { stretch = self.stretch(at: stretch.end) }
        return Timestamp(milliseconds: max(stretch.start, local - Int64(stretch.offset)) * 1000)
    }

    private func local(_ time: Timestamp) -> Int64 {
        time.seconds + Int64(stretch(at: time.seconds).offset)
    }

    /// The time around this one in which nothing changes.
    private func stretch(at second: Int64) -> Stretch {
        if let rule, second >= changes.last ?? .min {
            let stretch = rule.stretch(at: second)
            return Stretch(offset: stretch.offset, start: max(stretch.start, changes.last ?? .min), end: stretch.end)
        }
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle] <= second { low = middle + 1 } else { high = middle }
        }
        return Stretch(
            offset: offsets[low], start: low > 0 ? changes[low - 1] : .min,
            end: low < changes.count ? changes[low] : .max)
    }

    /// A time without change of the offset; `start` and `end` in seconds since 1970.
    struct Stretch {
        let offset: Int
        let start: Int64
        let end: Int64
    }
}

extension Timestamp {
    /// Whole seconds since 1970.
    var seconds: Int64 { milliseconds.dividedDown(by: 1000) }
}

extension CivilZone {
    /// Why a file is not usable as a time zone.
    public struct FormatError: Error, Equatable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Reads a compiled time zone, as in /usr/share/zoneinfo (TZif, RFC 8536).
    public init(name: String, tzif bytes: [UInt8]) throws(FormatError) {
        var reader = TZifReader(bytes: bytes)
        let first = try reader.header()
        guard first.version >= UInt8(ascii: "2") else {
            try self.init(name: name, try reader.block(first, timeSize: 4), footer: "")
            return
        }
        // What follows in 64 bits contains all of it.
        try reader.skip(first.size(timeSize: 4))
        let second = try reader.header()
        let block = try reader.block(second, timeSize: 8)
        try self.init(name: name, block, footer: try reader.footer())
    }

    private init(name: String, _ block: TZifReader.Block, footer: String) throws(FormatError) {
        let rule = ZoneRule(footer)
        guard rule != nil || footer.isEmpty else { throw FormatError(description: "unknown rule '\(footer)'") }
        self.init(name: name, from: block.offset, changes: block.changes, rule: rule)
    }
}

/// A TZif file, read from its beginning.
private struct TZifReader {
    struct Header {
        let version: UInt8
        // In the order of the file.
        let (utcMarks, standardMarks, leapSeconds, changes, types, letters): (Int, Int, Int, Int, Int, Int)

        func size(timeSize: Int) -> Int {
            changes * (timeSize + 1) + types * 6 + letters + leapSeconds * (timeSize + 4) + standardMarks + utcMarks
        }
    }

    struct Block {
        /// Before the first change.
        let offset: Int
        let changes: [(time: Int64, offset: Int)]
    }

    typealias FormatError = CivilZone.FormatError

    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func header() throws(FormatError) -> Header {
        guard try take(4).elementsEqual("TZif".utf8) else { throw FormatError(description: "not a TZif file") }
        let version = Array(try take(16))[0]
        var counts: [Int] = []
        for _ in 0..<6 { counts.append(Int(try integer(4))) }
        guard counts.allSatisfy({ $0 >= 0 }), counts[4] > 0 else { throw FormatError(description: "damaged header") }
        return Header(
            version: version, utcMarks: counts[0], standardMarks: counts[1], leapSeconds: counts[2], changes: counts[3],
            types: counts[4], letters: counts[5])
    }

    mutating func block(_ header: Header, timeSize: Int) throws(FormatError) -> Block {
        let end = position + header.size(timeSize: timeSize)
        guard end <= bytes.count else { throw Self.tooShort }
        var times: [Int64] = []
        for _ in 0..<header.changes { times.append(try integer(timeSize)) }
        // No sensible file has a time outside of the 59 bits; calculations with one would overflow.
        guard zip(times, times.dropFirst()).allSatisfy(<), (times.first ?? 0) >= -1 << 59, (times.last ?? 0) <= 1 << 59
        else { throw FormatError(description: "times out of order") }
        let indices = try take(header.changes).map { Int($0) }
        var offsets: [Int] = []
        for _ in 0..<header.types {
            offsets.append(Int(try integer(4)))
            // Whether it is summer time, and the place of its name.
            try skip(2)
        }
        guard indices.allSatisfy(offsets.indices.contains), offsets.allSatisfy((-90_000...93_600).contains) else {
            throw FormatError(description: "damaged offsets")
        }
        position = end
        return Block(offset: offsets[0], changes: zip(times, indices).map { ($0, offsets[$1]) })
    }

    /// What is between the last two line ends.
    mutating func footer() throws(FormatError) -> String {
        guard try take(1).first == UInt8(ascii: "\n") else { throw FormatError(description: "damaged footer") }
        return String(decoding: bytes[position...].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    mutating func skip(_ count: Int) throws(FormatError) { _ = try take(count) }

    private static let tooShort = FormatError(description: "the file is too short")

    private mutating func take(_ count: Int) throws(FormatError) -> ArraySlice<UInt8> {
        guard count <= bytes.count - position else { throw Self.tooShort }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// A signed number, the highest byte first.
    private mutating func integer(_ size: Int) throws(FormatError) -> Int64 {
        let bits = try take(size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return size == 4 ? Int64(Int32(truncatingIfNeeded: bits)) : Int64(bitPattern: bits)
    }
}
