import Khipu
import Lighting
import TestSupport
import Testing

/// What "between A and B" means.
struct WindowTests {
    /// The local times on a day at which a window begins and ends, looked at every five minutes.
    private func edges(_ home: HomeTime, _ start: String, _ end: String, on day: String) throws -> [String] {
        let (start, end) = (try Moment(start), try Moment(end))
        let times = try (0...288).map {
            try #require(home.instant(of: .time(.midnight), on: date(day))).advanced(by: .seconds(300 * $0))
        }
        var edges: [String] = []
        var isInside = false
        for time in times.dropLast() where home.isBetween(start, end, at: time) != isInside {
            isInside.toggle()
            edges.append((isInside ? "in " : "out ") + home.timeOfDay(at: time).description)
        }
        return edges
    }

    @Test(arguments: [
        ("18:00", "23:30", "2026-01-10", ["in 18:00", "out 23:30"]),
        ("23:00", "06:00", "2026-01-10", ["in 00:00", "out 06:00", "in 23:00"]),
        ("07:00", "07:00", "2026-01-10", ["in 00:00"]),
        ("00:00", "00:00", "2026-01-10", ["in 00:00"]),
        // In winter and in summer.
        ("sunset", "23:30", "2026-01-10", ["in 16:15", "out 23:30"]),
        ("sunset", "23:30", "2026-06-21", ["in 21:35", "out 23:30"]),
        ("sunset", "sunrise", "2026-06-21", ["in 00:00", "out 04:45", "in 21:35"]),
        ("sunrise", "sunset", "2026-06-21", ["in 04:45", "out 21:35"]),
        ("sunset", "00:30", "2026-06-21", ["in 00:00", "out 00:30", "in 21:35"]),
        ("sunset - 1h", "sunset + 1h", "2026-01-10", ["in 15:15", "out 17:15"]),
        // A morning that is dark only in winter, an evening that is bright only in summer.
        ("06:45", "sunrise", "2026-01-10", ["in 06:45", "out 08:15"]),
        ("06:45", "sunrise", "2026-06-21", []),
        ("19:00", "sunset", "2026-01-10", []),
        ("19:00", "sunset", "2026-06-21", ["in 19:00", "out 21:35"]),
        ("sunset", "20:00", "2026-06-21", []),
        ("22:00", "sunrise", "2026-06-21", ["in 00:00", "out 04:45", "in 22:00"]),
        ("sunrise", "22:00", "2026-06-21", ["in 04:45", "out 22:00"]),
        ("sunrise", "01:00", "2026-06-21", ["in 00:00", "out 01:00", "in 04:45"]),
        ("solar noon", "15:00", "2026-01-10", ["in 12:15", "out 15:00"]),
    ]) func `a window of a day is the one that a reader means, in every season`(
        start: String, end: String, day: String, expected: [String]
    ) throws {
        #expect(try edges(SunTests.berlin, start, end, on: day) == expected)
    }

    /// In Longyearbyen, where the sun's noon is at about 11:57 or 12:57, and its midnight at about 0:57 in summer.
    @Test(arguments: [
        ("sunset", "sunrise", "2026-12-21", ["in 00:00"]), ("sunset", "sunrise", "2026-06-21", []),
        ("sunrise", "sunset", "2026-12-21", []), ("sunrise", "sunset", "2026-06-21", ["in 00:00"]),
        ("sunset", "23:30", "2026-12-21", ["in 12:00", "out 23:30"]), ("sunset", "23:30", "2026-06-21", []),
        ("06:00", "sunrise", "2026-12-21", ["in 06:00", "out 12:00"]), ("06:00", "sunrise", "2026-06-21", []),
        ("dusk", "dawn", "2026-12-21", ["in 00:00"]), ("dawn", "dusk", "2026-06-21", ["in 00:00"]),
    ]) func `when the sun stays down it counts as set since noon, when it stays up as not yet set`(
        start: String, end: String, day: String, expected: [String]
    ) throws {
        #expect(try edges(SunTests.longyearbyen, start, end, on: day) == expected)
    }

    @Test(arguments: [SunTests.berlin, SunTests.tromso, SunTests.longyearbyen, SunTests.chatham])
    func `between sunset and sunrise, the sun is down`(home: HomeTime) throws {
        var random = SplitMix(seed: 6)
        for _ in 0..<3000 {
            let time = Timestamp(milliseconds: .random(in: 1_767_225_600_000...2_000_000_000_000, using: &random))
            let elevation = try #require(home.elevation(at: time))
            guard abs(elevation + 0.833) > 0.02 else { continue }
            #expect(
                home.isBetween(.sun(.sunset), .sun(.sunrise), at: time) == (elevation < -0.833),
                "\(home.zone.shown(time))")
            #expect(
                home.isBetween(.sun(.sunrise), .sun(.sunset), at: time) == (elevation > -0.833),
                "\(home.zone.shown(time))")
        }
    }

    @Test(arguments: ZoneFixture.all) func `between two times, the clock says it, but where it is changed`(
        zone: CivilZone
    ) {
        let home = HomeTime(zone: zone)
        var random = SplitMix(seed: 7)
        for _ in 0..<2000 {
            let (start, end) = (TimeOfDay.random(using: &random), TimeOfDay.random(using: &random))
            let time = Timestamp(milliseconds: .random(in: 1_767_225_600_000...2_500_000_000_000, using: &random))
            let near = [-86_400, 86_400].map { zone.offset(at: time.advanced(by: .seconds($0))) }
            guard Set(near).count == 1 else { continue }
            let clock = home.timeOfDay(at: time)
            let isInside = start < end ? start <= clock && clock < end : clock >= start || clock < end
            #expect(
                home.isBetween(.time(start), .time(end), at: time) == isInside, "\(start) \(end) \(zone.shown(time))")
        }
    }

    @Test func `steps count the time that passes, also over a change of the clocks`() throws {
        let home = HomeTime(zone: ZoneFixture.berlin)
        func shown(_ text: String, _ from: String, _ to: String) throws -> [String] {
            home.occurrences(of: try ClockTrigger(text), after: time(from), through: time(to)).map {
                home.timeOfDay(at: $0).description
            }
        }
        // The clock goes from 2:00 to 3:00, or shows 2:00 to 3:00 twice.
        #expect(
            try shown("every 30m between 01:00 and 04:00", "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z") == [
                "01:00", "01:30", "03:00", "03:30",
            ])
        #expect(
            try shown("every 30m between 01:00 and 04:00", "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z")
                == ["01:00", "01:30", "02:00", "02:30", "02:00", "02:30", "03:00", "03:30"])
        // On the days on which it begins, and not at its end.
        #expect(
            try shown("every 1h between 22:00 and 01:00 sun", "2026-11-21T12:00:00Z", "2026-11-24T12:00:00Z") == [
                "22:00", "23:00", "00:00",
            ])
        #expect(try shown("every 7h", "2026-11-21T23:00:00Z", "2026-11-22T22:59:00Z") == ["07:00", "14:00", "21:00"])
    }

    @Test func `steps from a sunset that does not come are not taken`() throws {
        let trigger = try ClockTrigger("every 1h between sunset and 23:30")
        let (start, end) = (time("2026-12-21T00:00:00Z"), time("2026-12-22T00:00:00Z"))
        #expect(SunTests.longyearbyen.occurrences(of: trigger, after: start, through: end) == [])
        let berlin = SunTests.berlin.occurrences(of: trigger, after: start, through: end)
        #expect(berlin.map { SunTests.berlin.timeOfDay(at: $0).hour } == [15, 16, 17, 18, 19, 20, 21, 22])
    }
}
