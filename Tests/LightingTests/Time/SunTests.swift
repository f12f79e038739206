import Khipu
import Lighting
import TestSupport
import Testing

struct SunTests {
    static let berlin = HomeTime(zone: ZoneFixture.berlin, place: Place(latitude: 52.52, longitude: 13.405))
    static let tromso = HomeTime(zone: ZoneFixture.berlin, place: Place(latitude: 69.65, longitude: 18.96))
    static let longyearbyen = HomeTime(zone: ZoneFixture.berlin, place: Place(latitude: 78.22, longitude: 15.65))
    static let chatham = HomeTime(zone: ZoneFixture.chatham, place: Place(latitude: -43.95, longitude: -176.55))
    static let saoPaulo = HomeTime(zone: ZoneFixture.saoPaulo, place: Place(latitude: -23.55, longitude: -46.63))

    /// From the tables of the US Naval Observatory, which are rounded to the minute.
    @Test(arguments: [
        ("2026-06-21", "04:43", "21:33"), ("2026-12-21", "08:15", "15:54"), ("2026-03-20", "06:09", "18:19"),
    ]) func `the sun rises and sets in Berlin as an almanac says`(day: String, rise: String, set: String) throws {
        for (event, text) in [(SunEvent.sunrise, rise), (.sunset, set)] {
            let expected = try #require(Self.berlin.instant(of: .time(TimeOfDay(text)), on: date(day)))
            let time = try #require(Self.berlin.instant(of: .sun(event), on: date(day)))
            #expect(
                (-90_000...90_000).contains(time.milliseconds - expected.milliseconds),
                "\(event) \(time.milliseconds - expected.milliseconds)")
        }
    }

    @Test(arguments: [berlin, tromso, longyearbyen, chatham, saoPaulo])
    func `the sun's moments are in order, and the sun stands where they say`(home: HomeTime) throws {
        for day in stride(from: 0, to: 730, by: 1) {
            let day = date("2026-01-01").advanced(by: day)
            let moments = SunEvent.inOrder.compactMap { event in
                home.instant(of: .sun(event), on: day).map { (event, $0) }
            }
            for (one, other) in zip(moments, moments.dropFirst()) {
                #expect(one.1 < other.1, "\(day): \(one) \(other)")
            }
            let noon = try #require(home.instant(of: .sun(.noon), on: day))
            #expect(home.date(at: noon) == day)
            for (event, time) in moments {
                let elevation = try #require(home.elevation(at: time))
                switch event {
                case .sunrise, .sunset: #expect(abs(elevation + 0.833) < 0.01, "\(day) \(event) \(elevation)")
                case .dawn, .dusk: #expect(abs(elevation + 6) < 0.01, "\(day) \(event) \(elevation)")
                case .noon, .midnight: break
                }
            }
            let lowest = try #require(home.instant(of: .sun(.midnight), on: day).flatMap(home.elevation))
            let highest = try #require(home.elevation(at: noon))
            #expect(lowest < highest)
            // No moment is missing unless the sun stays on one side.
            #expect(moments.contains { $0.0 == .sunrise } == (lowest < -0.833 && highest >= -0.833), "\(day)")
            #expect(moments.contains { $0.0 == .dawn } == (lowest < -6 && highest >= -6), "\(day)")
        }
    }

    @Test func `beyond the polar circle the sun stays up in summer and down in winter`() {
        let home = Self.longyearbyen
        #expect(home.instant(of: .sun(.sunset), on: date("2026-06-21")) == nil)
        #expect(home.instant(of: .sun(.sunrise), on: date("2026-12-21")) == nil)
        #expect(home.instant(of: .sun(.dawn), on: date("2026-12-21")) == nil)
        #expect(home.instant(of: .sun(.sunset, offset: .seconds(-1200)), on: date("2026-03-20")) != nil)
        // The next sunset is months ahead.
        let next = home.next(.at(.sun(.sunset)), after: time("2026-06-21T12:00:00Z"))
        #expect(next.map { home.date(at: $0) }?.description.prefix(7) == "2026-08")
    }

    @Test func `a sunset after midnight belongs to the day before`() throws {
        let sunset = try #require(Self.tromso.instant(of: .sun(.sunset), on: date("2026-05-16")))
        #expect(Self.tromso.date(at: sunset) == date("2026-05-17"))
        // A Saturday, though the calendar already shows Sunday.
        #expect(Self.tromso.next(.at(.sun(.sunset), .saturday), after: time("2026-05-16T12:00:00Z")) == sunset)
    }

    @Test func `without a place there is no sun`() {
        let home = HomeTime(zone: ZoneFixture.berlin)
        #expect(home.elevation(at: time("2026-06-21T12:00:00Z")) == nil)
        #expect(home.next(.at(.sun(.sunset)), after: time("2026-06-21T12:00:00Z")) == nil)
        #expect(!home.isBetween(.sun(.sunset), .sun(.sunrise), at: time("2026-06-21T23:00:00Z")))
        #expect(home.next(.at(.time(.noon)), after: time("2026-06-21T12:00:00Z")) == time("2026-06-22T10:00:00Z"))
    }
}

extension SunEvent {
    static let inOrder: [Self] = [.midnight, .dawn, .sunrise, .noon, .sunset, .dusk]
}
