import Foundation
import Khipu
import Lighting
import TestSupport
import Testing

struct TimeTextTests {
    @Test(
        arguments: [
            ("06:45", "06:45"), ("6:45", "06:45"), ("23:59:59", "23:59:59"), ("06:45 mon-fri", "06:45 mon-fri"),
            ("06:45 Saturday and Sunday", "06:45 sat,sun"), ("06:45 fri-mon", "06:45 mon,fri-sun"),
            ("06:45 mon-sun", "06:45"), ("sunset-20m", "sunset - 20m"), ("Sunset - 20m", "sunset - 20m"),
            ("sunrise + 1h 30min sat", "sunrise + 1h30m sat"), ("dawn", "dawn"), ("dusk \u{2212} 90s", "dusk - 1m30s"),
            ("noon", "12:00"), ("midnight mon,wed", "00:00 mon,wed"), ("solar noon", "solar noon"),
            ("solar midnight + 10m", "solar midnight + 10m"),
            ("every 30m between 18:00 and 23:00", "every 30m between 18:00 and 23:00"),
            ("every 90s between sunset - 1h and midnight sat,sun", "every 1m30s between sunset - 1h and 00:00 sat,sun"),
            ("every 2h", "every 2h"), ("every 2h weekend", nil), ("every 2h tue", "every 2h tue"),
            ("2026-12-24T18:30:00+01:00", "2026-12-24T17:30:00Z"), ("2026-12-24 17:30Z", "2026-12-24T17:30:00Z"),
            ("2026-12-24T17:30:00.25Z", "2026-12-24T17:30:00.250Z"),
        ] as [(String, String?)]) func `triggers are read as people write them, and written in one way`(
            text: String, written: String?
        ) throws
    {
        guard let written else {
            #expect(throws: TimeTextError.self) { try ClockTrigger(text) }
            return
        }
        let trigger = try ClockTrigger(text)
        #expect(trigger.description == written)
        #expect(try ClockTrigger(written) == trigger)
    }

    @Test(arguments: [
        ("", 0, "a time such as 06:45, or sunrise, sunset, dawn, dusk, noon, midnight"),
        ("at six", 0, "a time such as 06:45, or sunrise, sunset, dawn, dusk, noon, midnight"),
        ("  24:00", 2, "a time from 00:00 to 23:59"), ("6:5", 0, "a time from 00:00 to 23:59"),
        ("06:45pm", 0, "a time from 00:00 to 23:59"),
        ("06:45 mo-fr", 6, "days of the week: mon, tue, wed, thu, fri, sat or sun, or several such as mon-fri"),
        (
            "every 30m weekdays", 10,
            "days of the week: mon, tue, wed, thu, fri, sat or sun, or several such as mon-fri"
        ),
        ("06:45 fri-", 10, "days of the week: mon, tue, wed, thu, fri, sat or sun, or several such as mon-fri"),
        ("06:45 mon maybe", 10, "the end"), ("sunset - 20", 9, "a duration such as 30s, 20m or 1h30m"),
        ("sunset - 20m20h", 9, "a duration such as 30s, 20m or 1h30m"), ("sunset + 13h", 9, "at most 12h"),
        ("solar sunset", 0, "a time such as 06:45, or sunrise, sunset, dawn, dusk, noon, midnight"),
        ("every 30m between 18:00", 23, "and"), ("every 500ms", 6, "a duration from 1s to 24h"),
        ("every 0m", 6, "a duration such as 30s, 20m or 1h30m"),
        ("2026-02-30T12:00:00Z", 0, "a date such as 2026-12-24"),
        ("2026-12-24 12:00", 16, "Z or an offset from UTC such as +01:00"),
    ]) func `an error says what was expected, and where`(text: String, offset: Int, expected: String) {
        #expect(throws: TimeTextError(expected: expected, offset: offset)) { try ClockTrigger(text) }
    }

    @Test func `every trigger is read as it was written`() throws {
        var random = SplitMix(seed: 8)
        for _ in 0..<2000 {
            let trigger = ClockTrigger.random(using: &random)
            #expect(try ClockTrigger(trigger.description) == trigger)
            let json = try JSONEncoder().encode([trigger])
            #expect(try JSONDecoder().decode([ClockTrigger].self, from: json) == [trigger])
        }
    }

    @Test func `whatever is typed is read or refused, with a place in the text`() async throws {
        let samples = [
            "06:45 mon-fri", "every 30m between sunset - 1h and 23:00 sat,sun", "2026-12-24T17:30:00.250+01:00",
            "solar noon + 1h30m",
        ]
        try await Fuzzing("time").texts(samples, batches: 5) { text in
            do {
                let trigger = try ClockTrigger(text)
                guard try ClockTrigger(trigger.description) == trigger else { throw TestError("\(trigger)") }
            } catch let error as TimeTextError {
                guard (0...text.count).contains(error.offset) else { throw TestError("\(error)") }
            }
        }
    }
}

extension Moment {
    static func random(using random: inout some RandomNumberGenerator) -> Self {
        guard Bool.random(using: &random) else { return .time(.random(using: &random)) }
        let offset = Bool.random(using: &random) ? 0 : Int.random(in: -43_200...43_200, using: &random)
        return .sun(SunEvent.allCases.randomElement(using: &random)!, offset: .seconds(offset))
    }
}

extension TimeOfDay {
    static func random(using random: inout some RandomNumberGenerator) -> Self {
        Self(
            seconds: Bool.random(using: &random)
                ? 300 * .random(in: 0..<288, using: &random) : .random(in: 0..<86_400, using: &random))
    }
}

extension ClockTrigger {
    static func random(using random: inout some RandomNumberGenerator) -> Self {
        let days = Bool.random(using: &random) ? Weekdays.all : Weekdays(rawValue: .random(in: 1...127, using: &random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            return .once(Timestamp(milliseconds: .random(in: 1_600_000_000_000...2_600_000_000_000, using: &random)))
        case 1, 2:
            return .every(
                .seconds(60 * .random(in: 1...240, using: &random)), from: .random(using: &random),
                to: .random(using: &random), days)
        default: return .at(.random(using: &random), days)
        }
    }
}
