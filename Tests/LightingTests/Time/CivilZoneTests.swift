import Foundation
import Khipu
import Lighting
import TestSupport
import Testing

struct CivilZoneTests {
    @Test(arguments: [
        (ZoneFixture.berlin, "2026-03-29T00:59:59Z", "2026-03-29 01:59:59"),
        (ZoneFixture.berlin, "2026-03-29T01:00:00Z", "2026-03-29 03:00"),
        (ZoneFixture.berlin, "2026-10-25T01:00:00Z", "2026-10-25 02:00"),
        (ZoneFixture.berlin, "2199-07-01T12:00:00Z", "2199-07-01 14:00"),
        (ZoneFixture.newYork, "2026-11-01T06:00:00Z", "2026-11-01 01:00"),
        (ZoneFixture.lordHowe, "2026-10-03T15:30:00Z", "2026-10-04 02:30"),
        (ZoneFixture.chatham, "2026-07-01T12:00:00Z", "2026-07-02 00:45"),
        (ZoneFixture.dublin, "2026-07-01T12:00:00Z", "2026-07-01 13:00"),
        (ZoneFixture.dublin, "2026-12-01T12:00:00Z", "2026-12-01 12:00"),
        (ZoneFixture.saoPaulo, "2018-12-01T12:00:00Z", "2018-12-01 10:00"),
        (ZoneFixture.saoPaulo, "2026-12-01T12:00:00Z", "2026-12-01 09:00"),
        (ZoneFixture.apia, "2011-12-30T09:59:59Z", "2011-12-29 23:59:59"),
        (ZoneFixture.apia, "2011-12-30T10:00:00Z", "2011-12-31 00:00"),
    ]) func `a zone shows the time that its rules say`(zone: CivilZone, utc: String, local: String) {
        #expect(zone.shown(time(utc)) == local)
    }

    @Test(
        arguments: [
            // Skipped: at the change.
            (ZoneFixture.berlin, "2026-03-29", "02:30", "2026-03-29T01:00:00Z"),
            (ZoneFixture.berlin, "2026-03-29", "03:00", "2026-03-29T01:00:00Z"),
            (ZoneFixture.lordHowe, "2026-10-04", "02:15", "2026-10-03T15:30:00Z"),
            (ZoneFixture.saoPaulo, "2018-11-04", "00:00", "2018-11-04T03:00:00Z"),
            (ZoneFixture.saoPaulo, "2018-11-04", "00:30", "2018-11-04T03:00:00Z"),
            // Twice: the first time.
            (ZoneFixture.berlin, "2026-10-25", "02:30", "2026-10-25T00:30:00Z"),
            (ZoneFixture.newYork, "2026-11-01", "01:59", "2026-11-01T05:59:00Z"),
            (ZoneFixture.saoPaulo, "2019-02-16", "23:30", "2019-02-17T01:30:00Z"),
            (ZoneFixture.saoPaulo, "2019-02-17", "00:00", "2019-02-17T03:00:00Z"),
            // On a day that the calendar skips, nothing is.
            (ZoneFixture.apia, "2011-12-29", "12:00", "2011-12-29T22:00:00Z"),
            (ZoneFixture.apia, "2011-12-30", "12:00", nil),
            (ZoneFixture.apia, "2011-12-31", "12:00", "2011-12-30T22:00:00Z"),
        ] as [(CivilZone, String, String, String?)])
    func `a local time is the first moment that shows it, or a later one`(
        zone: CivilZone, day: String, clock: String, utc: String?
    ) throws {
        #expect(zone.instant(of: try TimeOfDay(clock), on: date(day)) == utc.map(time))
    }

    /// By going through the time minute by minute.
    @Test(arguments: ZoneFixture.all) func `no earlier moment of a day shows a local time, or a later one`(
        zone: CivilZone
    ) {
        var random = SplitMix(seed: 14)
        for _ in 0..<60 {
            // Around each change of 2011 to 2030, and in between.
            let year = Int.random(in: 2011...2030, using: &random)
            let day = CivilDate(year: year, month: 1, day: 1)!.advanced(by: .random(in: 0..<365, using: &random))
            let clock = TimeOfDay(seconds: 60 * .random(in: 0..<1440, using: &random))
            let start = Int64(day.number) * 86_400_000 - 30 * 3_600_000
            let first = (0..<84 * 60).lazy.map { Timestamp(milliseconds: start + $0 * 60_000) }.first {
                (zone.date(at: $0), zone.timeOfDay(at: $0)) >= (day, clock)
            }
            let isSkipped = first.map { zone.date(at: $0) } != day && zone.instant(of: .midnight, on: day) == nil
            #expect(zone.instant(of: clock, on: day) == (isSkipped ? nil : first), "\(zone.name) \(day) \(clock)")
        }
    }

    @Test func `dates are counted day by day, and read as they are written`() throws {
        var expected = CivilDate(year: 1899, month: 12, day: 31)!
        #expect(expected.weekday == .sunday)
        for year in 1900...2101 {
            for month in 1...12 {
                for day in 1...31 {
                    guard let date = CivilDate(year: year, month: month, day: day) else {
                        let last = month == 2 ? (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28) : 30
                        #expect(day > last)
                        continue
                    }
                    #expect(date.number == expected.number + 1 && date.weekday != expected.weekday)
                    #expect((date.year, date.month, date.day) == (year, month, day))
                    expected = date
                }
            }
        }
        #expect(date("2026-12-24").weekday == .thursday && date("2000-02-29").description == "2000-02-29")
    }

    // MARK: - Files

    @Test func `a file that is damaged is refused, wherever the damage is, or read`() throws {
        let whole = ZoneFixture.tzif(before: 0, [(0, 3600), (100, 7200)], rule: "CET-1CEST,M3.5.0,M10.5.0/3")
        #expect(throws: Never.self) { try CivilZone(name: "whole", tzif: whole) }
        for length in whole.indices.dropLast(1) {
            // Without its rule, the file says that nothing changes any more; without a part of it, nonsense.
            let cut = try? CivilZone(name: "cut", tzif: Array(whole[..<length]))
            #expect(cut == nil || length > whole.count - 28, "\(length)")
        }
        var random = SplitMix(seed: 3)
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                bytes[.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let zone = try? CivilZone(name: "damaged", tzif: bytes) else { continue }
            // What is read can be used.
            _ = zone.instant(of: .noon, on: date("2026-03-29"))
            _ = zone.timeOfDay(at: Timestamp(milliseconds: 50_000))
        }
    }

    @Test(arguments: [
        "", "CE", "CET", "CET-1CEST,", "CET-1CEST,M13.1.0,M3.1.0", "CET-25", "CET-1CEST,M3.5.0", "\u{1F319}",
    ])
    func `a rule of another form is refused`(rule: String) {
        let bytes = ZoneFixture.tzif(before: 0, [], rule: rule)
        if rule.isEmpty {
            #expect(throws: Never.self) { try CivilZone(name: "none", tzif: bytes) }
        } else {
            #expect(throws: CivilZone.FormatError.self) { try CivilZone(name: "bad", tzif: bytes) }
        }
    }

    /// All files of this machine, read by the `date` of the same machine: whatever the version of tzdata is.
    @Test(arguments: [
        "Europe/Berlin", "Europe/Dublin", "America/New_York", "America/Sao_Paulo", "America/St_Johns",
        "Africa/Casablanca", "Africa/Cairo", "Asia/Kathmandu", "Asia/Tehran", "Asia/Gaza", "Australia/Lord_Howe",
        "Pacific/Chatham", "Pacific/Apia", "Antarctica/Troll", "America/Nuuk", "Etc/UTC",
    ]) func `the system's zones are read as the system reads them`(name: String) async throws {
        let zone = try CivilZone(
            name: name, tzif: Array(Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(name)"))))
        var random = SplitMix(seed: 5)
        let seconds = (0..<500).map { _ in Int64.random(in: -2_000_000_000...7_000_000_000, using: &random) }
        let end = try await withTemporaryDirectory { directory in
            let file = try directory.write("seconds", seconds.map { "@\($0)\n" }.joined())
            return try await Program.run(.at("/bin/date"), ["--file", file, "+%F %T"], environment: ["TZ": name])
        }
        #expect(end.output.split(separator: "\n").count == seconds.count)
        for (second, shown) in zip(seconds, end.output.split(separator: "\n")) {
            let time = Timestamp(milliseconds: second * 1000)
            let clock = zone.timeOfDay(at: time)
            let text = "\(zone.date(at: time)) \(clock)" + (clock.second == 0 ? ":00" : "")
            #expect(text == shown, "\(name) @\(second)")
        }
    }
}
