import Khipu
import Lighting
import LightingTestKit
import Testing

/// Switching and setting, through the whole domain with lamps in memory.
@DomainActor
struct SwitchingTests {
    private let desk = Light.make("desk", name: "Desk", power: .off)
    private let shelf = Light.make("shelf", name: "Shelf", power: .off, modes: [.ct])
    private let fan = Light.plug("fan", name: "Fan", power: .off)

    private func home(_ lights: [Light]) -> DomainFixture {
        let room = Room.make(lights: lights)
        return DomainFixture(
            .make(lights: lights, rooms: [room]), stack: MemoryStack(lights: lights, rooms: [room])
        )
    }

    private let kitchen = Target.room(Room.make().id)

    @Test func `the lights of a room are turned on together, and confirmed by the bridge's echo`() {
        let home = home([desk, shelf])
        let ticket = home.send(.turn(.on, kitchen, over: .usual))
        #expect(
            home.stack.requests == [
                .set([DesiredState(desk.id, power: .on), DesiredState(shelf.id, power: .on)], .usual)
            ])
        #expect(home.response(to: ticket) == .lighting(.turning(.on, kitchen, .succeeded), ticket: ticket))
        for light in [desk, shelf] {
            #expect(home.light(light.id)?.power == .on)
            #expect(home.light(light.id)?.freshness == .confirmed(at: home.clock.now))
        }
    }

    @Test func `until the bridge has echoed it, a turn is expected and says by whom`() {
        let home = home([desk])
        home.stack.hold()
        let ticket = home.send(.turn(.on, .light(desk.id), over: .usual))
        #expect(home.light(desk.id)?.power == .on)
        #expect(home.light(desk.id)?.freshness == .expected(by: ticket))
        #expect(home.response(to: ticket) == nil)
    }

    @Test func `a turn that the bridge refuses leaves the truth behind`() {
        let home = home([desk])
        let failure = Failure.refused(by: .sample, words: "no")
        home.stack.end(with: .failed(failure))
        let ticket = home.send(.turn(.on, .light(desk.id), over: .usual))
        #expect(home.light(desk.id) == desk)
        #expect(home.response(to: ticket)?.outcome == .failed(failure))
    }

    @Test func `a wish that no bridge ever confirms is given up after a while`() {
        let home = home([desk])
        home.stack.echo(false)
        let ticket = home.send(.turn(.on, .light(desk.id), over: .usual))
        #expect(home.light(desk.id)?.freshness == .expected(by: ticket))
        home.wait(ExpectationTracker.timeout - .milliseconds(100))
        #expect(home.light(desk.id)?.power == .on)
        home.wait(.milliseconds(200))
        #expect(home.light(desk.id) == desk)
    }

    @Test func `a confirmed wish leaves no message behind when its time is up`() {
        let home = home([desk])
        home.send(.turn(.on, .light(desk.id), over: .usual))
        let heard = home.recorder.heard.count
        home.wait(.seconds(60))
        #expect(home.recorder.heard.count == heard)
    }

    @Test func `an explicit turn is sent though the state believes it is so already`() {
        let home = home([desk])
        home.send(.turn(.off, .light(desk.id), over: .usual))
        #expect(home.stack.requests == [.set([DesiredState(desk.id, power: .off)], .usual)])
    }

    @Test func `toggling a room turns it off where any light is on, and on where none is`() {
        let home = home([desk, shelf])
        let first = home.send(.toggle(kitchen, over: .usual))
        let second = home.send(.toggle(kitchen, over: .usual))
        #expect(home.response(to: first) == .lighting(.toggling(kitchen, to: .on, .succeeded), ticket: first))
        #expect(home.response(to: second) == .lighting(.toggling(kitchen, to: .off, .succeeded), ticket: second))
    }

    @Test func `setting a level turns on what is off, for the whole room at once`() {
        let home = home([desk, shelf])
        home.send(.apply(.values(.bri(0.4)), on: kitchen, over: .milliseconds(200)))
        #expect(
            home.stack.requests == [
                .set(
                    [desk, shelf].map { DesiredState($0.id, power: .on, setting: .bri(0.4)) }, .milliseconds(200))
            ]
        )
        #expect(home.light(shelf.id)?.power == .on)
        #expect(home.light(shelf.id)?.brightness == 0.4)
    }

    @Test func `lamps that cannot do it are passed over, not switched on by the way`() {
        let home = home([desk, shelf, fan])
        home.send(.apply(.values(.hsb(0.1, 1, 1)), on: kitchen, over: .usual))
        #expect(
            home.stack.requests == [
                .set([DesiredState(desk.id, power: .on, setting: .hsb(0.1, 1, 1))], .usual)
            ]
        )
        #expect(home.light(fan.id)?.power == .off)
    }

    @Test func `where no lamp can do it, it fails and nothing is sent`() {
        let home = home([fan])
        let ticket = home.send(.apply(.values(.bri(0.4)), on: kitchen, over: .usual))
        #expect(home.response(to: ticket)?.outcome == .failed(.cannot(light: "Fan", what: "be dimmed")))
        #expect(home.stack.requests.isEmpty)
    }

    @Test func `half a colour is completed from what the lamp shows`() {
        let home = home([Light.make("desk", hue: 0.25, saturation: 0.6)])
        home.send(.apply(.values(.hsb(hue: 0.5, saturation: nil, brightness: nil)), on: .light(desk.id), over: .usual))
        #expect(
            home.stack.requests == [
                .set(
                    [
                        DesiredState(
                            desk.id, power: .on, setting: .hsb(hue: 0.5, saturation: 0.6, brightness: nil))
                    ], .usual)
            ]
        )
    }

    @Test func `an unknown light and an empty room are failures that say so`() {
        let home = DomainFixture(.make(lights: [desk], rooms: [.make()]))
        let nobody = Target.light(Light.ID(bridge: .sample, resource: "nobody"))
        #expect(
            home.response(to: home.send(.turn(.on, nobody, over: .usual)))?.outcome == .failed(.noSuchTarget(nobody)))
        #expect(
            home.response(to: home.send(.turn(.on, kitchen, over: .usual)))?.outcome == .failed(.noLights(in: kitchen))
        )
        let empty = DomainFixture(AppState())
        #expect(empty.response(to: empty.send(.turn(.on, .all, over: .usual)))?.outcome == .failed(.notPaired))
    }
}
