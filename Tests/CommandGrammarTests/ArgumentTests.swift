import Testing

@testable import CommandGrammar

@Suite struct ArgumentTests {
    @Test func `every mirek value survives being shown in kelvin`() throws {
        for mirek in 50...1000 {
            #expect(try Temperature(argument: Temperature(mirek: mirek).kelvin).mirek == mirek)
        }
    }

    @Test func `every time span survives being written`() throws {
        for milliseconds in [0, 1, 999, 1000, 1500, 60_000, 90_000, 3_600_000, 5_400_000, 86_400_000, 90_061_001] {
            let span = TimeSpan(milliseconds: milliseconds)
            #expect(try TimeSpan(argument: span.text) == span)
        }
        #expect(TimeSpan(milliseconds: 600_000).text == "10m")
    }

    @Test func `a time span may have several parts, as it is written in automations`() throws {
        for milliseconds in [1500, 90_000, 5_400_000, 90_061_001] {
            let span = TimeSpan(milliseconds: milliseconds)
            #expect(try TimeSpan(argument: span.parts) == span)
        }
        #expect(try TimeSpan(argument: "1h30m").milliseconds == 5_400_000)
    }

    @Test(arguments: ["", "x", "1e3", "0x10", "inf", ".5", "5.", "--5", "1h30", "h1m", "1h-5m"])
    func `text that is not a duration is refused`(text: String) {
        #expect(throws: ArgumentError.self) { try TimeSpan(argument: text) }
    }
}
