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
