import CommandGrammar
import ControlProtocol
import Testing

@testable import lightctl

/// What `lightctl away` prints, and which times it takes.
struct AwayTextTests {
    /// Saturday, 21 November 2026, 18:00 in a zone an hour east of UTC.
    private let clock = WallClock(now: Moment(milliseconds: 1_795_280_400_000)) { _ in 3600 }
    private let away = AwayBody(
        on: true, since: "2026-11-21T16:30:00Z", until: "2026-11-24T17:00:00Z", seed: 7, lit: ["Desk", "Sofa"],
        plan: [
            .init(at: "2026-11-21T18:00:00Z", light: "b/1", name: "Stove", power: .on, brightness: 40),
            .init(at: "2026-11-22T19:00:00Z", light: "b/1", name: "Stove", power: .off),
        ])

    @Test func `a terminal shows what goes on and what is to come`() {
        let terminal = Terminal(isTerminal: true, colours: .none, columns: 80, unicode: true)
        #expect(
            AwayText.status(away, on: terminal, clock) == """
                away since 17:30, until 2026-11-24 18:00; on: Desk, Sofa

                TIME              LIGHT  STATE  BRIGHTNESS
                19:00             Stove  on     40%
                2026-11-22 20:00  Stove  off
                """)
        let ended = AwayBody(on: false, ended: .init(at: "2026-11-21T16:30:00Z", because: "somebody was at 'Dial'"))
        #expect(
            AwayText.sentence(ended, clock)
                == "not away: the last replay ended at 17:30 because somebody was at 'Dial'")
    }

    @Test func `a pipe gets what is to come`() {
        #expect(
            AwayText.status(away, on: .pipe, clock) == """
                2026-11-21T18:00:00Z\ton\t40%\tStove\tb/1
                2026-11-22T19:00:00Z\toff\t-\tStove\tb/1
                """)
    }

    @Test(arguments: [
        ("18:30", "2026-11-21T17:30:00Z"), ("17:59", "2026-11-22T16:59:00Z"), ("18:00", "2026-11-22T17:00:00Z"),
        ("6:05", "2026-11-22T05:05:00Z"), ("2026-12-01", "2026-11-30T23:00:00Z"),
        ("2026-12-01T18:00", "2026-12-01T17:00:00Z"), ("2026-12-01T18:00Z", "2026-12-01T18:00:00Z"),
        ("10d", "2026-12-01T17:00:00Z"), ("90m", "2026-11-21T18:30:00Z"),
    ])
    func `an end is a time of day, a moment, or some time from now`(text: String, moment: String) throws {
        #expect(try Until(argument: text).moment(in: clock).iso == moment)
    }

    @Test(arguments: ["", "24:00", "18:60", "18:5", "-1d", "tomorrow", "18", "+1:30"])
    func `what is none of these is refused`(text: String) {
        #expect(throws: ArgumentError.self) { try Until(argument: text) }
    }
}
