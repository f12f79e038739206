import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

/// The simulated lamps and the radio to them, with a manual clock.
@Suite struct MeshTests {
    private let flat = SimulatedHome(.flat, seed: 1)
    private var desk: Lamp { flat.lamp(called: "Desk")! }
    private var stove: Lamp { flat.lamp(called: "Stove")! }

    private func home(_ changes: [Lamp.Change], of lamp: Lamp) -> SimulatedHome {
        flat.alter(by: .updating(.lamp(lamp.id, by: changes)))
    }

    @Test func `a transition passes through the values in between`() throws {
        let wanted = home([.setting(.level(to: 1))], of: stove)
        var mesh = Mesh(flat)
        mesh.send(.unicast(stove.id, over: .seconds(10)), wanted: wanted, at: .seconds(100))
        let hop = mesh.timing.hop
        let levels = try (0...10).map { second in
            try #require(mesh.lightState(of: stove.id, at: .seconds(100) + hop + .seconds(second))).level
        }
        #expect(levels.first == stove.level && levels.last == 1)
        #expect(zip(levels, levels.dropFirst()).allSatisfy(>))
        #expect(abs(levels[5] - (stove.level + 1) / 2) <= 1)
        #expect(mesh.lightState(of: stove.id, at: .seconds(1000)) == wanted.lamp(stove.id)?.lightState)
    }

    @Test func `another command starts from what the lamp shows`() throws {
        var mesh = Mesh(flat)
        let down = home([.setting(.level(to: 1))], of: stove)
        mesh.send(.unicast(stove.id, over: .seconds(10)), wanted: down, at: .zero)
        let half = Duration.seconds(5)
        let before = try #require(mesh.lightState(of: stove.id, at: half))
        mesh.send(.unicast(stove.id, over: .seconds(10)), wanted: flat, at: half)
        let after = try #require(mesh.lightState(of: stove.id, at: half + mesh.timing.hop))
        #expect(abs(before.level - after.level) <= 1)
        #expect(mesh.lightState(of: stove.id, at: .seconds(60)) == stove.lightState)
    }

    @Test func `messages to single lamps wait for each other, a broadcast reaches all at once`() throws {
        let lit = flat.alter(by: flat.lamps.map { .updating(.lamp($0.id, by: [.turning(.it(on: true))])) })
        let dark = flat.lamps.filter { !$0.isOn }.map(\.id)
        var single = Mesh(flat)
        for lamp in dark { single.send(.unicast(lamp, over: .zero), wanted: lit, at: .zero) }
        var many = Mesh(flat)
        many.send(.broadcast(dark, over: .zero), wanted: lit, at: .zero)
        func count(_ mesh: Mesh, at now: Duration) -> Int {
            dark.count { mesh.lightState(of: $0, at: now)?.isOn == true }
        }
        let hop = single.timing.hop
        #expect(count(single, at: hop) == 1)
        #expect(count(single, at: hop + single.timing.airtime) == 2)
        #expect(count(single, at: hop + single.timing.airtime * dark.count) == dark.count)
        #expect(count(many, at: hop - .milliseconds(1)) == 0)
        #expect(count(many, at: hop) == dark.count)
    }

    @Test func `a lamp without mains is noticed after a minute, or sooner if it is sent a message`() {
        var mesh = Mesh(flat)
        mesh.cut(desk.id, at: .seconds(10))
        #expect(mesh.nextFinding == .seconds(70))
        #expect(mesh.findings(by: .seconds(69), in: flat).isEmpty)
        mesh.send(.unicast(desk.id, over: .zero), wanted: flat, at: .seconds(20))
        #expect(mesh.nextFinding == .seconds(25))
        let found = mesh.findings(by: .seconds(25), in: flat)
        #expect(found == [.updating(.lamp(desk.id, by: [.cutting(.mains)]))])
        #expect(mesh.nextFinding == nil)
        #expect(mesh.findings(by: .seconds(1000), in: flat.alter(by: found)).isEmpty)
    }

    @Test func `what was sent to a lamp without mains is overridden by its power-on behaviour`() throws {
        var mesh = Mesh(flat)
        mesh.cut(desk.id, at: .zero)
        var home = flat.alter(by: mesh.findings(by: .seconds(60), in: flat))
        home = home.alter(by: .updating(.lamp(desk.id, by: [.setting(.level(to: 9))])))
        mesh.send(.unicast(desk.id, over: .zero), wanted: home, at: .seconds(61))
        #expect(home.lamp(desk.id)?.level == 9, "the bridge shows the target")
        mesh.power(try #require(home.lamp(desk.id)), at: .seconds(100))
        #expect(
            mesh.lightState(of: desk.id, at: .seconds(100))
                == LightState(isOn: true, level: 254, tint: .white(mirek: 366)))
        home = home.alter(by: mesh.findings(by: .seconds(103), in: home))
        let lamp = try #require(home.lamp(desk.id))
        #expect(lamp.hasMains && lamp.isOn && lamp.level == 254)
    }

    @Test func `a lamp restored after a power cut reports its state, whatever the bridge believed`() throws {
        let home = home([.setting(.powerup(to: Powerup(.powerfail)))], of: stove)
        var mesh = Mesh(home)
        mesh.cut(stove.id, at: .zero)
        let believed = home.alter(by: .updating(.lamp(stove.id, by: [.turning(.it(on: false))])))
        mesh.send(.unicast(stove.id, over: .zero), wanted: believed, at: .seconds(1))
        mesh.power(try #require(believed.lamp(stove.id)), at: .seconds(2))
        let found = mesh.findings(by: .seconds(10), in: believed)
        #expect(believed.alter(by: found).lamp(stove.id)?.lightState == stove.lightState)
    }

    @Test func `a change by hand leaves a lamp's mains as they are, and the bridge still finds out about them`() throws
    {
        var mesh = Mesh(flat)
        mesh.cut(desk.id, at: .zero)
        var home = flat.alter(by: mesh.findings(by: .seconds(60), in: flat))
        mesh.power(try #require(home.lamp(desk.id)), at: .seconds(61))
        home = home.alter(by: .updating(.lamp(desk.id, by: [.turning(.it(on: false))])))
        mesh.set(desk.id, to: try #require(home.lamp(desk.id)).lightState, hasMains: nil)
        #expect(mesh.hasMains(desk.id), "the switch was moved while the bridge believed the lamp had no mains")
        home = home.alter(by: mesh.findings(by: .seconds(64), in: home))
        #expect(home.lamp(desk.id)?.hasMains == true && home.lamp(desk.id)?.isOn == false)
    }

    @Test func `a lamp that misses a broadcast keeps its state, and the bridge finds out`() throws {
        let dark = flat.alter(by: .updating(.lamp(stove.id, by: [.turning(.it(on: false))])))
        var mesh = Mesh(flat)
        mesh.send(
            .broadcast([stove.id, desk.id], over: .milliseconds(400)), wanted: dark, at: .zero, unreached: [stove.id])
        #expect(mesh.lightState(of: stove.id, at: .seconds(3))?.isOn == true)
        let due = try #require(mesh.nextFinding)
        #expect(due == .milliseconds(400) + mesh.timing.asking)
        let found = mesh.findings(by: due, in: dark)
        #expect(dark.alter(by: found) == flat)
    }

    @Test func `a lamp that missed a broadcast is not reported if a later message reached it`() throws {
        let dark = flat.alter(by: .updating(.lamp(stove.id, by: [.turning(.it(on: false))])))
        var mesh = Mesh(flat)
        mesh.send(.broadcast([stove.id], over: .zero), wanted: dark, at: .zero, unreached: [stove.id])
        mesh.send(.unicast(stove.id, over: .zero), wanted: dark, at: .seconds(1))
        #expect(mesh.findings(by: .seconds(60), in: dark).isEmpty)
    }

    @Test(arguments: 0..<30 as Range<UInt64>) func `in the end the bridge and its lamps agree, whatever happens`(
        seed: UInt64
    ) {
        var random = SplitMix(seed: seed)
        var (home, now) = (flat, Duration.zero)
        var mesh = Mesh(home)
        for _ in 0..<200 {
            now += .milliseconds(Int.random(in: 0...3000, using: &random))
            let lamp = home.lamps.randomElement(using: &random)!
            switch Int.random(in: 0..<7, using: &random) {
            case 0: mesh.cut(lamp.id, at: now)
            case 1: mesh.power(lamp, at: now)
            case 6:
                home = home.alter(by: .updating(.lamp(lamp.id, by: [.turning(.it(on: !lamp.isOn))])))
                mesh.set(lamp.id, to: home.lamp(lamp.id)!.lightState, hasMains: nil)
            case 2:
                home = home.alter(
                    by: home.lamps.map { .updating(.lamp($0.id, by: [.turning(.it(on: lamp.isOn))])) })
                mesh.send(
                    .broadcast(home.lamps.map(\.id), over: .seconds(1)), wanted: home, at: now, unreached: [lamp.id])
            case 3: home = home.alter(by: mesh.findings(by: now, in: home))
            default:
                home = home.alter(
                    by: .updating(
                        .lamp(lamp.id, by: [.setting(.level(to: Int.random(in: 1...254, using: &random)))])))
                mesh.send(.unicast(lamp.id, over: .milliseconds(400)), wanted: home, at: now)
            }
        }
        now += .seconds(120)
        home = home.alter(by: mesh.findings(by: now, in: home))
        for lamp in home.lamps {
            #expect(lamp.hasMains == mesh.hasMains(lamp.id))
            if lamp.hasMains { #expect(mesh.lightState(of: lamp.id, at: now) == lamp.lightState, "\(lamp.name)") }
        }
    }
}
