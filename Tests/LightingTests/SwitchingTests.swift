import Khipu
import Lighting
import LightingTestKit
import Testing

/// Switching lights and setting values, through the whole domain.
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

    @Test func `the lights of a room are turned on together, and confirmed by the bridge's reports`() {
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

    @Test func `until the bridge reports it, a turn is expected by its command`() {
        let home = home([desk])
        home.stack.hold()
        let ticket = home.send(.turn(.on, .light(desk.id), over: .usual))
        #expect(home.light(desk.id)?.power == .on)
        #expect(home.light(desk.id)?.freshness == .expected(by: ticket))
        #expect(home.response(to: ticket) == nil)
    }

    @Test func `a turn that the bridge refuses leaves the light as it was`() {
        let home = home([desk])
        let failure = Failure.refused(by: .sample, words: "no")
        home.stack.end(with: .failed(failure))
        let ticket = home.send(.turn(.on, .light(desk.id), over: .usual))
        #expect(home.light(desk.id) == desk)
        #expect(home.response(to: ticket)?.outcome == .failed(failure))
    }

    @Test func `a value that is never confirmed is given up after the timeout`() {
        let home = home([desk])
        home.stack.echo(false)
        let ticket = home.send(.turn(.on, .light(desk.id), over: .usual))
        #expect(home.light(desk.id)?.freshness == .expected(by: ticket))
        home.wait(Freshness.confirmationTimeout - .milliseconds(100))
        #expect(home.light(desk.id)?.power == .on)
        home.wait(.milliseconds(200))
        #expect(home.light(desk.id) == desk)
    }

    @Test func `a confirmed command posts no message when its time is up`() {
        let home = home([desk])
        home.send(.turn(.on, .light(desk.id), over: .usual))
        let before = home.recorder.messages.count
        home.wait(.seconds(60))
        #expect(home.recorder.messages.count == before)
    }

    @Test func `an explicit turn is sent even if the light is already on or off`() {
        let home = home([desk])
        home.send(.turn(.off, .light(desk.id), over: .usual))
        #expect(home.stack.requests == [.set([DesiredState(desk.id, power: .off)], .usual)])
    }

    @Test func `toggling a room turns it off if any light is on, otherwise on`() {
        let home = home([desk, shelf])
        let first = home.send(.toggle(kitchen, over: .usual))
        let second = home.send(.toggle(kitchen, over: .usual))
        #expect(home.response(to: first) == .lighting(.toggling(kitchen, to: .on, .succeeded), ticket: first))
        #expect(home.response(to: second) == .lighting(.toggling(kitchen, to: .off, .succeeded), ticket: second))
    }

    @Test func `a lamp without power does not count as on when a room is toggled`() {
        let home = home([desk, Light.make("shelf", name: "Shelf")])
        home.stack.tell(.light(shelf.id, Light.Report(reachable: false)))
        home.settle()
        let ticket = home.send(.toggle(kitchen, over: .usual))
        #expect(home.response(to: ticket) == .lighting(.toggling(kitchen, to: .on, .succeeded), ticket: ticket))
    }

    @Test func `setting a level turns on the lights that are off, for the whole room at once`() {
        let home = home([desk, shelf])
        home.send(.apply(.values(.bri(0.4)), on: kitchen, over: .milliseconds(200)))
        #expect(
            home.stack.requests == [
                .set(
                    [desk, shelf].map { DesiredState($0.id, power: .on, .bri(0.4)) }, .milliseconds(200))
            ]
        )
        #expect(home.light(shelf.id)?.power == .on)
        #expect(home.light(shelf.id)?.brightness == 0.4)
    }

    @Test func `lamps that can show nothing of a setting are skipped, and not turned on`() {
        let home = home([desk, fan])
        home.send(.apply(.values(.hsb(0.1, 1, 1)), on: kitchen, over: .usual))
        #expect(
            home.stack.requests == [
                .set([DesiredState(desk.id, power: .on, .hsb(0.1, 1, 1))], .usual)
            ]
        )
        #expect(home.light(fan.id)?.power == .off)
    }

    @Test func `if no lamp can show the setting, the command fails and sends nothing`() {
        let home = home([fan])
        let ticket = home.send(.apply(.values(.bri(0.4)), on: kitchen, over: .usual))
        #expect(home.response(to: ticket)?.outcome == .failed(.cannot(light: "Fan", what: "be dimmed")))
        #expect(home.stack.requests.isEmpty)
    }

    @Test func `a hue without saturation is completed from what the lamp shows`() {
        let home = home([Light.make("desk", hue: 0.25, saturation: 0.6)])
        home.send(.apply(.values(.hsb(hue: 0.5, saturation: nil, brightness: nil)), on: .light(desk.id), over: .usual))
        #expect(
            home.stack.requests == [
                .set(
                    [
                        DesiredState(
                            desk.id, power: .on, .hsb(hue: 0.5, saturation: 0.6, brightness: nil))
                    ], .usual)
            ]
        )
    }

    @Test func `an unknown light, an empty room and an empty home have failures of their own`() {
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
