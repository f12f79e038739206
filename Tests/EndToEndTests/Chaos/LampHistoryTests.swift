import SimulatedBridge
import Testing

/// The judge of the chaos is judged first.
struct LampHistoryTests {
    private let start = ContinuousClock.now

    private func after(_ seconds: Int) -> LampHistory.Instant { start + .seconds(seconds) }

    private func state(on: Bool, level: Int = 254) -> LightState {
        LightState(isOn: on, level: level, tint: .white(mirek: 366))
    }

    private func home(lit isLit: Bool = true) -> SimulatedHome {
        let home = SimulatedHome(.flat, seed: 1)
        return home.lamps.reduce(home) { home, lamp in
            home.alter(by: .updating(.lamp(lamp.id, by: [.turning(.it(on: isLit)), .setting(.level(to: 203))])))
        }
    }

    @Test func `what was asked last is right, and what somebody asked before it is wrong`() throws {
        let home = home()
        var history = LampHistory(home, at: start)
        #expect(history.objection(to: state(on: true, level: 203), of: "Stove", at: after(1)) == nil)
        let off = history.begin(.command, "off", "Stove", .it(false), .untouched, in: home, at: after(2))
        // Under way: either.
        #expect(history.objection(to: state(on: true, level: 203), of: "Stove", at: after(2)) == nil)
        #expect(history.objection(to: state(on: false, level: 203), of: "Stove", at: after(2)) == nil)
        history.finish([off], isCertain: true, at: after(3))
        #expect(history.objection(to: state(on: true, level: 203), of: "Stove", at: after(4)) != nil)
        let on = history.begin(.hand, "on", "Stove", .it(true), .untouched, in: self.home(lit: false), at: after(5))
        history.finish([on], isCertain: true, at: after(5))
        #expect(history.objection(to: state(on: true, level: 203), of: "Stove", at: after(6)) == nil)
        // A repair that does not know that somebody was here.
        let wrong = try #require(history.objection(to: state(on: false, level: 203), of: "Stove", at: after(9)))
        #expect(wrong.contains("'on' 4.0 s ago") && wrong.contains("'off', 7.0 s ago, was over"), "\(wrong)")
        #expect(history.objection(to: state(on: true, level: 20), of: "Stove", at: after(9)) != nil, "nobody asked")
    }

    @Test func `of two that overlap either may win, and one that failed replaces nothing`() throws {
        let home = home()
        var history = LampHistory(home, at: start)
        let one = history.begin(.command, "10", "Sofa", .it(true), .it(25), in: home, at: after(1))
        let two = history.begin(.app, "90", "Sofa", .it(true), .it(229), in: home, at: after(2))
        history.finish([one], isCertain: true, at: after(3))
        history.finish([two], isCertain: true, at: after(3))
        for level in [25, 229] {
            #expect(history.objection(to: state(on: true, level: level), of: "Sofa", at: after(9)) == nil)
        }
        #expect(history.undisputed("Sofa", at: after(9)) == nil)
        let failed = history.begin(.command, "50", "Sofa", .it(true), .it(127), in: home, at: after(10))
        history.finish([failed], isCertain: false, at: after(11))
        for level in [25, 127, 229] {
            #expect(history.objection(to: state(on: true, level: level), of: "Sofa", at: after(20)) == nil)
        }
        let last = history.begin(.hand, "off", "Sofa", .it(false), .untouched, in: home, at: after(30))
        history.finish([last], isCertain: true, at: after(30))
        #expect(history.objection(to: state(on: true, level: 127), of: "Sofa", at: after(31)) != nil)
    }

    /// A hand while the connection is lost; then a command to the room, and one to the lamp, which replaces it and fails.
    @Test(arguments: [true, false])
    func `a command that another has replaced does not count where that one fails`(fails: Bool) {
        let home = home()
        var history = LampHistory(home, at: start)
        let hand = history.begin(.hand, "13", "Desk", .it(true), .it(33), in: home, at: after(1))
        history.finish([hand], isCertain: true, at: after(1))
        let ofRoom = history.begin(.command, "73", "Desk", .it(true), .it(185), in: home, at: after(2))
        let ofLamp = history.begin(.command, "28", "Desk", .it(true), .it(71), in: home, at: after(5))
        history.finish([ofLamp], isCertain: !fails, at: after(8))
        history.finish([ofRoom], isCertain: true, at: after(9))
        #expect((history.objection(to: state(on: true, level: 33), of: "Desk", at: after(20)) == nil) == fails)
    }

    @Test func `a sunrise may show anything until somebody asks something`() throws {
        let home = home()
        var history = LampHistory(home, at: start)
        let wake = history.begin(.lightd, "wake", "Desk", .anything, .anything, in: home, at: after(1))
        history.last(wake, of: "Desk")
        #expect(history.objection(to: state(on: true, level: 7), of: "Desk", at: after(20)) == nil)
        let hand = history.begin(.hand, "off", "Desk", .it(false), .it(200), in: home, at: after(21))
        history.finish([hand], isCertain: true, at: after(21))
        #expect(history.objection(to: state(on: true, level: 9), of: "Desk", at: after(23)) != nil)
        #expect(history.objection(to: state(on: false, level: 200), of: "Desk", at: after(23)) == nil)
    }
}
