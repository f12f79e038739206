import Khipu
import LightingTestKit
import Testing

@testable import Lighting

/// How expected and reported values of one light combine.
struct FreshnessTests {
    private let ticket = Ticket(number: 7, holder: "test", time: .sample)
    private let later = Timestamp.sample.advanced(by: .seconds(1))

    private func expecting(_ changes: Light.Change...) -> Light {
        Light.make(brightness: 0.5).alter(by: changes + [.expecting(.it(by: ticket))])
    }

    @Test func `a value that was sent is shown at once and marked as expected`() {
        let light = expecting(.setting(.brightness(to: 0.9)))
        #expect(light.brightness == 0.9)
        #expect(light.reported.brightness == 0.5)
        #expect(light.freshness == .expected(by: ticket))
    }

    @Test func `sending what the light already shows expects nothing`() {
        #expect(expecting(.turning(.it(.on))).freshness == .confirmed(at: .sample))
    }

    @Test func `the bridge's report confirms an expected value, rounded to the bridge's steps`() {
        let light = expecting(.setting(.brightness(to: 0.5))).alter(
            by: .setting(.brightness(to: 0.2)), .expecting(.it(by: ticket)),
            .reporting(.it(Light.Report(brightness: 0.2016), at: later))
        )
        #expect(light.freshness == .confirmed(at: later))
        #expect(light.brightness == 0.2016)
    }

    @Test(arguments: [1.0, 3, 6.8, -6.8]) func `a small change of colour must be confirmed, and can be undone`(
        degrees: Double
    ) {
        let orange = Light.make(hue: 0.09, saturation: 1, mode: .hsb)
        let other = orange.alter(by: .setting(.hue(to: 0.09 + degrees / 360)), .expecting(.it(by: ticket)))
        #expect(other.freshness == .expected(by: ticket))
        #expect(!other.values.agrees(with: orange.values))
        let confirmed = other.alter(by: .reporting(.it(Light.Report(hue: other.hue + 0.0005), at: later)))
        #expect(confirmed.freshness == .confirmed(at: later))
    }

    @Test func `a slider does not jump back while its value is expected`() {
        let light = expecting(.setting(.brightness(to: 0.9)))
            .alter(by: .reporting(.it(Light.Report(brightness: 0.6), at: later)))
        #expect(light.brightness == 0.9)
        #expect(light.reported.brightness == 0.6)
        #expect(light.freshness == .expected(by: ticket))
    }

    /// The domain has the newer one already, and the gateway not yet.
    @Test(arguments: [.otherApp, .command(Ticket(number: 7, holder: "test", time: .sample))] as [Cause.Kind])
    func `what was read because of an earlier command does not overrule the newest`(source: Cause.Kind) {
        let newer = Ticket(number: 8, holder: "test", time: later)
        let light = expecting(.turning(.it(.on)))
            .alter(by: .setting(.brightness(to: 0.9)), .expecting(.it(by: newer)))
        func read(_ judged: Ticket) -> Light {
            let report = Light.Report(
                LightPatch(power: .on, brightness: 0.5), source: source, overrules: true, judged: judged)
            return light.alter(by: .reporting(.it(report, at: later)))
        }
        #expect(read(ticket).freshness == .expected(by: newer) && read(ticket).brightness == 0.9)
        #expect(read(newer).freshness == .confirmed(at: later) && read(newer).brightness == 0.5)
    }

    /// Lamps are switched on and off again before the bridge reports the first of it.
    @Test func `the late report of an earlier command does not change what the newest one asked for`() {
        let newer = Ticket(number: 8, holder: "test", time: later)
        let off = Light.make(power: .off)
        let on = off.alter(by: .turning(.it(.on)), .expecting(.it(by: ticket, after: off.values)))
        let offAgain = on.alter(by: .turning(.it(.off)), .expecting(.it(by: newer, after: on.values)))
        // The same once more: it changes nothing.
        let twice = offAgain.alter(by: .turning(.it(.off)), .expecting(.it(by: newer, after: offAgain.values)))
        for light in [offAgain, twice] {
            let told = light.alter(by: .reporting(.it(Light.Report(power: .on), at: later)))
            #expect(told.power == .off && told.reported.power == .on)
            #expect(told.freshness == .expected(by: newer))
            let done = told.alter(by: .reporting(.it(Light.Report(power: .off), at: later)))
            #expect(done.power == .off && done.freshness == .confirmed(at: later) && done.known.superseded == nil)
        }
    }

    @Test func `a report of another value is shown beside an expected one`() {
        let light = expecting(.setting(.brightness(to: 0.9)))
            .alter(by: .reporting(.it(Light.Report(power: .off), at: later)))
        #expect(light.power == .off)
        #expect(light.brightness == 0.9)
        #expect(light.freshness == .expected(by: ticket))
    }

    @Test func `giving up an expected value shows what the bridge last reported`() {
        let light = expecting(.setting(.brightness(to: 0.9)), .turning(.it(.off)))
            .alter(by: .abandoning(.expectation(of: ticket)))
        #expect(light == Light.make(brightness: 0.5))
    }

    @Test func `giving up an older command does not affect a newer one`() {
        let newer = Ticket(number: 8, holder: "test", time: later)
        let light = expecting(.setting(.brightness(to: 0.9)))
            .alter(by: .setting(.brightness(to: 0.7)), .expecting(.it(by: newer)))
        #expect(light.alter(by: .abandoning(.expectation(of: ticket))) == light)
    }

    @Test func `losing the bridge makes the light stale and shows what it last reported`() {
        let light = expecting(.setting(.brightness(to: 0.9))).alter(by: .losing(.contact(at: later)))
        #expect(light.freshness == .stale(since: later))
        #expect(light.brightness == 0.5)
    }

    @Test func `what was expected when the bridge was lost is expected again when it is back`() {
        let light = expecting(.setting(.brightness(to: 0.9)))
            .alter(by: .losing(.contact(at: later)), .reporting(.it(Light.Report(brightness: 0.5), at: later)))
        #expect(light.freshness == .expected(by: ticket))
        #expect(light.brightness == 0.9 && light.reported.brightness == 0.5)
        let done = light.alter(by: .reporting(.it(Light.Report(brightness: 0.9), at: later)))
        #expect(done.freshness == .confirmed(at: later) && done.cause.ticket == ticket && done.known.pending == nil)
    }

    @Test func `what was given up while the bridge was lost is not expected again`() {
        let light = expecting(.setting(.brightness(to: 0.9)))
            .alter(
                by: .losing(.contact(at: later)), .abandoning(.expectation(of: ticket)),
                .reporting(.it(Light.Report(brightness: 0.5), at: later)))
        #expect(light == Light.make(brightness: 0.5).alter(by: .reporting(.it(Light.Report(), at: later))))
    }

    @Test func `a command for a stale light is expected when the bridge is back`() {
        let light = Light.make(brightness: 0.5).alter(
            by: .losing(.contact(at: later)), .setting(.brightness(to: 0.9)), .expecting(.it(by: ticket)),
            .reporting(.it(Light.Report(brightness: 0.5), at: later)))
        #expect(light.freshness == .expected(by: ticket) && light.brightness == 0.9)
    }

    @Test func `a lamp that is found to be out of reach must still confirm what was expected of it`() {
        let dark = expecting(.setting(.brightness(to: 0.9)))
            .alter(by: .reporting(.it(Light.Report(reachable: false), at: later)))
        #expect(dark.known.pending?.ticket == ticket && dark.known.pending?.values.brightness == 0.9)
        let givenUp = dark.alter(by: .abandoning(.expectation(of: ticket)))
        #expect(givenUp.brightness == 0.5 && givenUp.known.pending == nil)
        #expect(givenUp.freshness == .unreachable(since: later))
    }

    private func keeping(_ values: LightPatch?) -> Light.Change {
        .reporting(
            .it(Light.Report(LightPatch(), kept: Light.Kept(values)), at: later.advanced(by: .seconds(5))))
    }

    @Test func `what is kept for a lamp is known even if the bridge has refused it, until the lamp is back`() {
        let on = LightPatch(power: .on)
        let dark = Light.make(power: .off).alter(
            by: .reporting(.it(Light.Report(reachable: false), at: later)), .turning(.it(.on)),
            .expecting(.it(by: ticket)))
        let told = dark.alter(by: keeping(on))
        #expect(told.known.kept == on && told.known.pending == dark.known.pending)
        let refused = told.alter(by: .abandoning(.expectation(of: ticket)))
        #expect(refused.known.kept == on && refused.known.pending == nil && refused.power == .off)
        let again = later.advanced(by: .seconds(9))
        #expect(refused.alter(by: .reporting(.it(Light.Report(brightness: 0.1), at: again))).known.kept == on)
        #expect(refused.alter(by: .losing(.contact(at: again))).known.kept == on)
        #expect(refused.alter(by: .reporting(.it(Light.Report(reachable: true), at: again))).known.kept == nil)
        #expect(refused.alter(by: keeping(nil)).known.kept == nil)
        #expect(refused.remembered.known.kept == nil, "the gateway forgets it as well")
    }

    @Test func `what is kept for a lamp is no report of it: nothing else of the light changes`() {
        let dark = expecting(.setting(.brightness(to: 0.9)))
            .alter(by: .reporting(.it(Light.Report(reachable: false), at: later)))
        #expect(dark.alter(by: keeping(.bri(0.4)), keeping(nil)) == dark)
        let expected = expecting(.setting(.brightness(to: 0.9)))
        for light in [Light.make(), expected, expected.alter(by: .losing(.contact(at: later)))] {
            #expect(light.alter(by: keeping(.bri(0.4))) == light && light.alter(by: keeping(nil)) == light)
        }
    }

    @Test func `a command for an unreachable lamp is confirmed by nothing but its return`() {
        let back = later.advanced(by: .seconds(9))
        let dark = Light.make(power: .off).alter(
            by: .reporting(.it(Light.Report(reachable: false), at: later)), .turning(.it(.off)),
            .expecting(.it(by: ticket)), .reporting(.it(Light.Report(power: .off), at: later)))
        #expect(dark.known.pending?.ticket == ticket)
        let lit = dark.alter(by: .reporting(.it(Light.Report(reachable: true), at: back)))
        #expect(lit.freshness == .confirmed(at: back) && lit.known.pending == nil)
    }

    @Test func `a lamp stays unreachable until the bridge reaches it again`() {
        let dark = Light.make().alter(by: .reporting(.it(Light.Report(reachable: false), at: later)))
        #expect(dark.freshness == .unreachable(since: later))
        let told = dark.alter(by: .reporting(.it(Light.Report(brightness: 0.1), at: later.advanced(by: .seconds(1)))))
        #expect(told.freshness == .unreachable(since: later))
        #expect(told.brightness == 0.1)
        let back = later.advanced(by: .seconds(9))
        #expect(
            told.alter(by: .reporting(.it(Light.Report(reachable: true), at: back))).freshness == .confirmed(at: back))
    }

    @Test func `a command for an unreachable lamp does not show it as reachable`() {
        let dark = Light.make().alter(by: .reporting(.it(Light.Report(reachable: false), at: later)))
            .alter(by: .turning(.it(.off)), .expecting(.it(by: ticket)))
        #expect(dark.freshness == .unreachable(since: later))
    }

    @Test func `the same report twice has the same effect as once`() {
        let report = Light.Report(power: .off, brightness: 0.3, hue: 0.2, saturation: 0.9, reachable: true)
        for light in [Light.make(), expecting(.setting(.brightness(to: 0.9)))] {
            let once = light.alter(by: .reporting(.it(report, at: later)))
            #expect(once.alter(by: .reporting(.it(report, at: later))) == once)
        }
    }

    @Test func `a stale light stays stale through a command, even if it is given up`() {
        let stale = Light.make(brightness: 0.5).alter(by: .losing(.contact(at: later)))
        let changed = stale.alter(by: .setting(.brightness(to: 0.9)), .expecting(.it(by: ticket)))
        #expect(changed.freshness == .stale(since: later))
        #expect(changed.alter(by: .abandoning(.expectation(of: ticket))) == stale)
    }

    @Test func `a command for what the light already shows leaves the reported value in place`() {
        let light = Light.make(brightness: 0.3992).alter(
            by: .setting(.brightness(to: 0.4)), .expecting(.it(by: ticket)))
        #expect(light.brightness == 0.3992)
        #expect(light.freshness == .confirmed(at: .sample))
    }

    @Test func `an unreachable lamp stays unreachable when its bridge is lost as well`() {
        let dark = Light.make().alter(by: .reporting(.it(Light.Report(reachable: false), at: later)))
        #expect(
            dark.alter(by: .losing(.contact(at: later.advanced(by: .seconds(9))))).freshness
                == .unreachable(since: later)
        )
    }
}
