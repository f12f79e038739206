import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

struct CurveTests {
    private let utc = HomeTime(zone: .utc)
    private let berlin = HomeTime(zone: .utc, place: Place(latitude: 52.5, longitude: 13.4))

    private func time(_ text: String) throws -> Timestamp {
        var reader = TimeReader(text)
        return try reader.timestamp()
    }

    private func curve(_ points: String...) throws -> Curve { try Curve(points.map { try Curve.Keyframe($0) }) }

    @Test func `a curve over the clock goes from point to point, and over midnight`() throws {
        let curve = try curve("06:00 2000K", "12:00 4000K", "22:00 2500K")
        func kelvin(_ text: String) throws -> Int? {
            curve.point(at: try time("2026-11-22T\(text):00Z"), in: utc).temperature?.kelvin
        }
        #expect(try kelvin("06:00") == 2000)
        #expect(try kelvin("12:00") == 4000)
        // Half way in mirek, which is what the eye tells apart.
        #expect(try kelvin("09:00") == 2667)
        #expect(try kelvin("02:00") == 2222)
    }

    @Test func `brightness changes evenly for the eye`() throws {
        let curve = try curve("06:00 1%", "08:00 100%")
        let halfWay = curve.point(at: try time("2026-11-22T07:00:00Z"), in: utc).brightness ?? 0
        #expect(abs(halfWay - 0.43) < 0.02)
    }

    @Test func `a curve over the height of the sun is the same in the morning and in the evening`() throws {
        let curve = try curve("sun -6 2200K", "sun 10 4000K")
        let noon = curve.point(at: try time("2026-06-21T11:10:00Z"), in: berlin)
        let midnight = curve.point(at: try time("2026-11-21T23:00:00Z"), in: berlin)
        #expect(noon.temperature == 250.mirek)
        #expect(midnight.temperature == 455.mirek)
    }

    @Test func `a curve by the sun shows nothing where the home's place is not known`() throws {
        #expect(Curve.daylight.point(at: try time("2026-11-22T12:00:00Z"), in: utc).temperature == nil)
        #expect(Curve.daylight.point(at: try time("2026-11-22T12:00:00Z"), in: utc).brightness == 1)
        #expect(Curve.daylight.needsPlace(for: [.temperature]))
        #expect(!Curve.daylight.needsPlace(for: [.brightness]))
    }

    @Test func `the daylight curve never changes by more than the eye sees in a minute`() throws {
        let start = try time("2026-06-21T00:00:00Z")
        var last = Curve.daylight.point(at: start, in: berlin)
        for minute in 1...1440 {
            let point = Curve.daylight.point(at: start.advanced(by: .seconds(60 * minute)), in: berlin)
            let (tone, before) = (try #require(point.temperature), try #require(last.temperature))
            let (level, levelBefore) = (try #require(point.brightness), try #require(last.brightness))
            #expect(abs(tone.value - before.value) <= 6)
            #expect(abs(level - levelBefore) <= 0.02)
            last = point
        }
    }

    @Test(arguments: [
        "06:30 40% 2703K", "sunset - 20m 60%", "sun -6° 2203K", "solar noon 100%", "sunrise + 1h30m 12.5% 6494K",
    ])
    func `a point reads back as it is written`(text: String) throws {
        #expect(try Curve.Keyframe(text).description == text)
    }

    @Test(arguments: [
        ("06:30", "expected a brightness such as 40% or a white tone such as 2700K at character 6"),
        ("40%", "expected a time such as 06:30, a moment such as sunset - 20m, or sun -6 at character 1"),
        ("06:30 140%", "expected 0% to 100% at character 7"),
        ("06:30 40% 50%", "expected one brightness and one white tone at character 7"),
        ("06:30 900K", "expected 1000K to 20000K at character 7"),
        ("sun up 40%", "expected the sun's height in degrees, such as sun -6 at character 4"),
        ("25:00 40%", "expected a time from 00:00 to 23:59 at character 1"),
    ])
    func `a wrong point says what was expected, and where`(text: String, error: String) {
        let mistake = #expect(throws: TimeTextError.self) { try Curve.Keyframe(text) }
        #expect(mistake?.description == error)
    }

    @Test func `a value goes by the clock or by the sun, not by both`() throws {
        #expect(throws: Failure.self) { try curve("06:00 40%", "sun 10 100%") }
        #expect(throws: Failure.self) { try curve("06:00 40%", "06:00 100%") }
        _ = try curve("06:00 40%", "06:00 2700K", "sunset 20%")
    }
}
