import Khipu
import Lighting
import LightingTestKit
import Testing

@DomainActor
struct DimmerTests {
    private func home(_ lights: Light...) -> DomainFixture {
        let room = Room.make(lights: lights)
        return DomainFixture(.make(lights: lights, rooms: [room]), stack: MemoryStack(lights: lights, rooms: [room]))
    }

    nonisolated static let steps = [0.5, 1, 7, 10, 33.3, 50]

    @Test(arguments: LightValue.allCases, steps)
    func `increasing and then decreasing by the same step returns to the same value`(value: LightValue, points: Double)
    {
        let light = Light.make(
            brightness: 0.3, hue: 0.3, saturation: 0.3, temperature: 200,
            mode: value == .temperature || value == .brightness ? .ct : .hsb
        )
        let home = home(light)
        home.send(.increase(value, by: .pt(points), on: .light(light.id), over: .usual))
        let up = home.light(light.id)
        #expect(up != light)
        home.send(.decrease(value, by: .pt(points), on: .light(light.id), over: .usual))
        let back = home.light(light.id)
        #expect(abs((back?.brightness ?? 0) - light.brightness) < 1e-9)
        #expect(abs((back?.hue ?? 0) - light.hue) < 1e-9)
        #expect(abs((back?.saturation ?? 0) - light.saturation) < 1e-9)
        #expect(back?.temperature == light.temperature)
    }

    @Test(arguments: LightValue.allCases, [0, 1, 25, 100, 1000, -40] as [Double])
    func `steps stop at the ends of the range`(value: LightValue, points: Double) {
        let light = Light.make()
        let home = home(light)
        for _ in 0..<5 { home.send(.increase(value, by: .pt(points), on: .all, over: .usual)) }
        for _ in 0..<9 { home.send(.decrease(value, by: .pt(points), on: .all, over: .usual)) }
        guard let after = home.light(light.id) else { return }
        #expect((0...1).contains(after.brightness) && (0...1).contains(after.hue) && (0...1).contains(after.saturation))
        #expect((153...500).contains(after.temperature.value))
        #expect(after.power == .on)
    }

    @Test func `two quick steps count twice, even before the bridge has answered`() {
        let light = Light.make(brightness: 0.3)
        let home = home(light)
        home.stack.hold()
        home.send(.increase(.brightness, by: .pt(10), on: .light(light.id), over: .usual))
        home.send(.increase(.brightness, by: .pt(10), on: .light(light.id), over: .usual))
        #expect(abs((home.light(light.id)?.brightness ?? 0) - 0.5) < 1e-9)
        #expect(home.stack.requests.count == 2)
    }

    @Test func `the lamps of a room keep their differences`() {
        let (one, other) = (Light.make("one", brightness: 0.2), Light.make("other", brightness: 0.6))
        let home = home(one, other)
        home.send(.increase(.brightness, by: .pt(10), on: .room(Room.make().id), over: .usual))
        #expect(abs((home.light(one.id)?.brightness ?? 0) - 0.3) < 1e-9)
        #expect(abs((home.light(other.id)?.brightness ?? 0) - 0.7) < 1e-9)
    }

    @Test func `steps skip lights that are off, and fail if all are off`() {
        let (on, off) = (Light.make("on", brightness: 0.2), Light.make("off", power: .off, brightness: 0.2))
        let home = home(on, off)
        home.send(.increase(.brightness, by: .pt(10), on: .all, over: .usual))
        #expect(home.light(off.id) == off)
        let ticket = home.send(.increase(.brightness, by: .pt(10), on: .light(off.id), over: .usual))
        #expect(
            home.response(to: ticket)?.outcome
                == .failed(.cannot(light: "Desk", what: "be stepped while it is off; turn it on first"))
        )
    }

    @Test func `a step that is not a number is refused`() {
        let home = home(Light.make())
        let ticket = home.send(.increase(.brightness, by: .pt(.nan), on: .all, over: .usual))
        guard case .failed(.invalid)? = home.response(to: ticket)?.outcome else {
            Issue.record("accepted a step of NaN")
            return
        }
        #expect(home.stack.requests.isEmpty)
    }
}
