import Khipu
import Lighting
import LightingTestKit
import Testing

/// Each lamp takes what it can of a command; what it shows next time is what it showed before.
@DomainActor
struct TakingTests {
    private let desk = Light.make("desk", name: "Desk", brightness: 0.8)
    private let shelf = Light.make("shelf", name: "Shelf", modes: [.ct])
    private let bulb = Light.make("bulb", name: "Bulb", modes: [])
    private let fan = Light.plug("fan", name: "Fan")
    private let hall = Target.room(Room.make().id)

    private func home(_ lights: [Light]) -> DomainFixture {
        let room = Room.make(lights: lights)
        return DomainFixture(
            .make(lights: lights, rooms: [room]), stack: MemoryStack(lights: lights, rooms: [room]))
    }

    @Test func `a room of unlike lamps: each takes what it can, and is confirmed`() {
        let home = home([desk, shelf, bulb, fan])
        let command = Message.Lighting.apply(.values(.ct(454.mirek, brightness: 0.05)), on: hall, over: .usual)
        let ticket = home.send(command)
        #expect(
            home.stack.requests == [
                .set(
                    [
                        DesiredState(desk.id, power: .on, .ct(454.mirek, brightness: 0.05)),
                        DesiredState(shelf.id, power: .on, .ct(454.mirek, brightness: 0.05)),
                        DesiredState(bulb.id, power: .on, .bri(0.05)),
                    ], .usual)
            ])
        #expect(home.response(to: ticket)?.outcome == .succeeded)
        for light in [desk, shelf, bulb] {
            #expect(home.light(light.id)?.brightness == 0.05)
            #expect(home.light(light.id)?.freshness == .confirmed(at: home.clock.now))
        }
        #expect(
            home.store.state().shortfalls(of: command) == [
                Shortfall(
                    light: bulb.id, given: .bri(0.05), failure: .cannot(light: "Bulb", what: "change its white tone")),
                Shortfall(
                    light: fan.id, given: nil,
                    failure: .cannot(light: "Fan", what: "change its white tone or be dimmed")),
            ])
    }

    @Test(arguments: [LightPatch.hsb(0.1, 1, 0.4), .hsb(hue: 0.1, saturation: nil, brightness: 0.4), .bri(0.4)])
    func `a lamp without colours takes the level of a colour`(setting: LightPatch) {
        let home = home([shelf])
        home.send(.apply(.values(setting), on: .light(shelf.id), over: .usual))
        #expect(home.stack.requests == [.set([DesiredState(shelf.id, power: .on, .bri(0.4))], .usual)])
    }

    @Test func `a restored list gives each lamp what it can show, and names what can take nothing`() {
        let home = home([bulb, fan])
        let command = Message.Lighting.restore(
            [
                DesiredState(bulb.id, power: .on, .ct(300.mirek, brightness: 0.2)),
                DesiredState(fan.id, power: .off, .bri(0.2)),
            ], over: .usual)
        let ticket = home.send(command)
        #expect(home.response(to: ticket)?.outcome == .succeeded)
        #expect(
            home.stack.requests == [
                .set(
                    [
                        DesiredState(bulb.id, power: .on, .bri(0.2)), DesiredState(fan.id, power: .off),
                    ], .usual)
            ])
        #expect(home.store.state().shortfalls(of: command).map { $0.given?.brightness } == [0.2, nil])
        let nothing = home.send(.restore([DesiredState(fan.id, power: .on, .bri(0.2))], over: .usual))
        #expect(home.response(to: nothing)?.outcome == .failed(.cannot(light: "Fan", what: "be dimmed")))
        #expect(home.stack.requests.count == 1)
    }

    @Test func `a step is taken by the lamps that have the value, and the others are named`() {
        let home = home([desk, bulb])
        let command = Message.Lighting.increase(.temperature, by: .pt(10), on: hall, over: .usual)
        let ticket = home.send(command)
        #expect(home.response(to: ticket)?.outcome == .succeeded)
        #expect(home.store.state().shortfalls(of: command).map(\.light) == [bulb.id])
    }

    // MARK: - What a lamp that is off shows next

    @Test func `a lamp that was off is restored with the level and tone that it had, so that a wall switch shows them`()
    {
        let home = home([Light.make("desk", name: "Desk", power: .off, brightness: 0.8, temperature: 300)])
        let before = DesiredState(desk.id, power: .off, .ct(300.mirek, brightness: 0.8))
        home.send(.apply(.values(.ct(454.mirek, brightness: 0.05)), on: .light(desk.id), over: .usual))
        let ticket = home.send(.restore([before], over: .usual))
        #expect(home.stack.requests.last == .set([before], .usual))
        #expect(home.response(to: ticket)?.outcome == .succeeded)
        #expect(home.light(desk.id)?.power == .off)
        #expect(home.light(desk.id)?.brightness == 0.8)
        #expect(home.light(desk.id)?.temperature == 300.mirek)
    }

    @Test func `a lamp that has the level to be restored is only turned off, and one that is off is left alone`() {
        let home = home([desk, Light.make("shelf", name: "Shelf", power: .off, brightness: 0.1)])
        home.send(
            .restore(
                [
                    DesiredState(desk.id, power: .off, .ct(366.mirek, brightness: 0.8)),
                    DesiredState(shelf.id, power: .off, .bri(0.9)),
                ], over: .usual))
        #expect(home.stack.requests == [.set([DesiredState(desk.id, power: .off)], .usual)])
    }

    @Test func `an undone command to a lamp that was off gives its level back, too`() {
        let home = home([Light.make("desk", name: "Desk", power: .off, brightness: 0.8, temperature: 300)])
        home.send(.apply(.values(.ct(454.mirek, brightness: 0.05)), on: .light(desk.id), over: .usual))
        home.send(.undo(1, over: .usual))
        #expect(
            home.stack.requests.last
                == .set([DesiredState(desk.id, power: .off, .ct(300.mirek, brightness: 0.8))], .usual))
    }
}
