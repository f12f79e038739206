import Khipu
import Lighting
import LightingTestKit
import Testing

/// Steps of the brightness that look equal: `.lightness`.
@DomainActor
struct PerceptualStepTests {
    private func home(_ lights: Light...) -> DomainFixture {
        let room = Room.make(lights: lights)
        return DomainFixture(.make(lights: lights, rooms: [room]), stack: MemoryStack(lights: lights, rooms: [room]))
    }

    /// The levels through which a lamp goes by these steps.
    private func path(from level: Double, _ steps: [Double]) -> [Double] {
        let light = Light.make(brightness: level)
        let home = home(light)
        return steps.compactMap { step in
            home.send(
                step < 0
                    ? .decrease(.brightness, by: .lightness(-step), on: .all, over: .usual)
                    : .increase(.brightness, by: .lightness(step), on: .all, over: .usual))
            return home.light(light.id)?.brightness
        }
    }

    @Test(arguments: [0.02, 0.1, 0.3, 0.55, 0.7], [1, 5, 10, 20] as [Double])
    func `up and down by the same step returns to the same level`(level: Double, points: Double) {
        let path = path(from: level, [points, -points])
        #expect(path[0] > level && abs(path[1] - level) < 1e-9)
    }

    @Test(arguments: [2, 5, 10, 25] as [Double])
    func `steps of a size take as many steps of its half`(points: Double) {
        let whole = path(from: 0.2, [points])
        let halves = path(from: 0.2, [points / 2, points / 2])
        #expect(abs(whole[0] - halves[1]) < 1e-9)
    }

    @Test func `a step is smaller in levels the darker the lamp is, and from dark to full are 100 points`() {
        let rise = path(from: 0, Array(repeating: 10, count: 10))
        let steps = zip(rise.dropFirst(), rise).map(-)
        // Below a tenth of the range lightness is a straight line of the light, not of the level.
        #expect(zip(steps.dropFirst(), steps).allSatisfy(>))
        #expect(rise[8] < 0.9 && rise[9] > 1 - 1e-9)
    }

    @Test(
        arguments: [(0.5, 10, 0.6061), (0.5, -10, 0.4010), (0.1, 10, 0.1657), (0.9, 10, 1)]
            as [(Double, Double, Double)])
    func `a level is a square root of light, and L* its lightness`(level: Double, step: Double, next: Double) {
        #expect(abs(path(from: level, [step])[0] - next) < 1e-4)
    }

    @Test func `steps end at the lowest level, and leave the lamp on`() {
        #expect(path(from: 0.5, [-100, -100]) == [0.01, 0.01])
    }

    @Test func `only the brightness has such steps`() {
        let home = home(.make())
        let ticket = home.send(.increase(.temperature, by: .lightness(10), on: .all, over: .usual))
        #expect(
            home.response(to: ticket)?.outcome
                == .failed(.invalid("only the brightness has steps for the eye, not the temperature")))
    }

    @Test func `a room's mean is stepped with the ratios of its lamps`() {
        let (one, other) = (Light.make("one", brightness: 0.2), Light.make("other", brightness: 0.6))
        let off = Light.make("off", power: .off, brightness: 0.9)
        let home = home(one, other, off)
        let room = Target.room(Room.make().id)
        func levels() -> [Double] { [one, other].compactMap { home.light($0.id)?.brightness } }
        home.send(.apply(.meanStep(.pt(10)), on: room, over: .usual))
        #expect(abs(levels()[0] - 0.25) < 1e-9 && abs(levels()[1] - 0.75) < 1e-9)
        home.send(.apply(.meanStep(.lightness(-10)), on: room, over: .usual))
        #expect(abs(levels()[1] / levels()[0] - 3) < 1e-9 && levels()[1] < 0.75)
        #expect(home.light(off.id) == off)
    }

    @Test func `the mean of a room that is off has no steps`() {
        let home = home(.make(power: .off))
        let ticket = home.send(.apply(.meanStep(.pt(10)), on: .all, over: .usual))
        guard case .failed(.cannot(_, what: let what))? = home.response(to: ticket)?.outcome else {
            Issue.record("it was not refused")
            return
        }
        #expect(what == "be stepped while it is off; turn it on first")
    }
}
