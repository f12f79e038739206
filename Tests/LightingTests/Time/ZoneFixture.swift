import Khipu
import Lighting

/// Zones with the rules that the tests rely on, whatever the machine's tzdata says: as TZif files, which the reader reads.
enum ZoneFixture {
    static let berlin = zone("Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3")
    static let newYork = zone("America/New_York", "EST5EDT,M3.2.0,M11.1.0")
    /// South, and summer time is half an hour.
    static let lordHowe = zone("Australia/Lord_Howe", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0")
    /// South, and three quarters of an hour off.
    static let chatham = zone("Pacific/Chatham", "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45")
    static let kathmandu = zone("Asia/Kathmandu", "<+0545>-5:45")
    /// Summer time is the standard: the clocks go back in winter.
    static let dublin = zone("Europe/Dublin", "IST-1GMT0,M10.5.0,M3.5.0/1")
    /// Clocks went forward at midnight, so that the day began at 1:00; since 2019 there is no summer time.
    static let saoPaulo = zone(
        "America/Sao_Paulo", "<-03>3", before: -3,
        [
            ("2016-10-16T03:00:00Z", -2), ("2017-02-19T02:00:00Z", -3), ("2017-10-15T03:00:00Z", -2),
            ("2018-02-18T02:00:00Z", -3), ("2018-11-04T03:00:00Z", -2), ("2019-02-17T02:00:00Z", -3),
        ])
    /// 30 December 2011 was skipped.
    static let apia = zone(
        "Pacific/Apia", "<+13>-13", before: -10, [("2011-12-30T10:00:00Z", 14), ("2012-03-31T14:00:00Z", 13)])

    static let all = [berlin, newYork, lordHowe, chatham, kathmandu, dublin, saoPaulo, apia]

    /// - Parameters:
    ///   - before: hours east of UTC, before the first change.
    ///   - changes: when it changed, and to what.
    private static func zone(
        _ name: String, _ rule: String, before: Int = 0, _ changes: [(time: String, hours: Int)] = []
    ) -> CivilZone {
        let bytes = tzif(
            before: before * 3600, changes.map { (time($0.time).milliseconds / 1000, $0.hours * 3600) }, rule: rule)
        do {
            return try CivilZone(name: name, tzif: bytes)
        } catch {
            fatalError("\(name): \(error)")
        }
    }

    /// A file of version 2 (RFC 8536), without names.
    static func tzif(before: Int, _ changes: [(second: Int64, offset: Int)], rule: String) -> [UInt8] {
        func header(_ changes: Int, _ types: Int) -> [UInt8] {
            Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
                + [0, 0, 0, changes, types, 1].flatMap { bytes(Int64($0), 4) }
        }
        let offsets = [before] + changes.map(\.offset)
        return header(0, 1) + bytes(Int64(before), 4) + [0, 0, 0] + header(changes.count, offsets.count)
            + changes.flatMap { bytes($0.second, 8) } + changes.indices.map { UInt8($0 + 1) }
            + offsets.flatMap { bytes(Int64($0), 4) + [0, 0] } + [0] + Array("\n\(rule)\n".utf8)
    }

    private static func bytes(_ number: Int64, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

/// "2026-03-29T01:00:00Z"
func time(_ text: String) -> Timestamp {
    var reader = TimeReader(text)
    do {
        return try reader.timestamp()
    } catch {
        fatalError("\(text): \(error)")
    }
}

/// "2026-03-29"
func date(_ text: String) -> CivilDate {
    do {
        return try CivilDate(text)
    } catch {
        fatalError("\(text): \(error)")
    }
}

/// "06:45 mon-fri"
func trigger(_ text: String) -> ClockTrigger {
    do {
        return try ClockTrigger(text)
    } catch {
        fatalError("\(text): \(error)")
    }
}

extension CivilZone {
    /// What a clock on the wall shows: "2026-03-29 03:00".
    func shown(_ time: Timestamp) -> String { "\(date(at: time)) \(timeOfDay(at: time))" }
}
