import Testing

@testable import lightctl

@Suite struct ArgumentTests {
    @Test(arguments: [
        "2026-11-21T10:00:00Z", "1999-12-31T23:59:59.999Z", "2024-02-29T00:00:00Z", "1969-12-31T23:59:59.500Z",
    ])
    func `a moment survives a round trip`(iso: String) throws {
        #expect(try #require(Moment(iso: iso)).iso == iso)
    }

    @Test func `days of four centuries survive a round trip`() throws {
        for day in stride(from: Int64(-11_000), through: 140_000, by: 37) {
            let moment = Moment(milliseconds: day * 86_400_000 + 12_345)
            #expect(Moment(iso: moment.iso) == moment)
        }
    }

    @Test(arguments: [
        "2026-02-29", "2026-13-01", "2026-00-10", "2026-11-21T24:00", "2026-11-21T10", "2026-11-21x", "21.11.2026",
    ])
    func `dates and times that do not exist are refused`(text: String) { #expect(CivilTime(text) == nil) }

    @Test func `since is an age or a local time`() throws {
        #expect(try Since(argument: "1h").moment(in: .noon).iso == "2026-11-21T09:00:00Z")
        // A time of the home, where its clocks show another one than this machine's, says so.
        #expect(WallClock.noon.when("2026-11-21T22:30:00.000+01:00") == "22:30")
        #expect(WallClock.noon.when("2026-11-21T22:30:00.000-03:30") == "22:30 -03:30")
        #expect(WallClock.noon.exactly("2026-11-22T22:30:00.000+02:00") == "2026-11-22 22:30:00 +02:00")
        #expect(WallClock.noon.when("2026-11-21T21:30:00.000Z") == "22:30")
        // The beginning of a day here, an hour east of UTC.
        #expect(try Since(argument: "today").moment(in: .noon).iso == "2026-11-20T23:00:00Z")
        #expect(try Since(argument: "Yesterday").moment(in: .noon).iso == "2026-11-19T23:00:00Z")
        #expect(try Since(argument: "2026-11-21T10:00").moment(in: .noon).iso == "2026-11-21T09:00:00Z")
        #expect(try Since(argument: "2026-11-21 10:00+02:00").moment(in: .noon).iso == "2026-11-21T08:00:00Z")
    }
}
