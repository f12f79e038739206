import HashTreeCollections
import Khipu
import LightingTestKit
import TestSupport
import Testing

@testable import Lighting

/// An automation goes on meaning what it meant, whatever that is called later.
@DomainActor
struct AutomationNamesTests {
    private static let hall = Sensor.make("s1", name: "Hall", motion: false)
    private static let dimmer = Sensor.dimmer()
    private static let (desk, stove, sink) = (HomeFixture.desk, HomeFixture.stove, HomeFixture.sink)
    private static let noon = Timestamp(milliseconds: 1_795_348_800_000)

    private static func command(_ text: String) -> Automation.Step { .command(TestCommands.command(text)) }
    private static let press = Automation.Trigger.press(sensor: "dimmer", button: 1, .pressed)

    /// Names that are no ids: those of the fixture are both.
    private static let names = [stove.id: "Range", desk.id: "Table", sink.id: "Basin"]
    private static let lights = HomeFixture.lights.map { light in
        names[light.id].map { light.alter(by: .renaming(.it(to: $0))) } ?? light
    }
    private static let rooms = HomeFixture.rooms.map { room in
        room.id == HomeFixture.kitchen.id ? room.alter(by: .renaming(.it(to: "Pantry"))) : room
    }

    private func home(_ automations: Automation...) -> AutomationFixture {
        let home = AutomationFixture([], sensors: [Self.hall, Self.dimmer], at: Self.noon)
        read(Self.lights, in: home)
        home.domain.send(Message.Automations.replace(automations))
        return home
    }

    private func steps(_ name: String, in home: AutomationFixture) -> [String] {
        home.state.automations[Automation.ID(name)]?.steps.map(\.description) ?? []
    }

    private func rename(_ light: Light, _ name: String, in home: AutomationFixture) {
        home.domain.stack.tell(.renamed(.light(light.id), to: name))
        home.domain.settle()
    }

    /// The bridge is read with these lights.
    private func read(_ lights: [Light], in home: AutomationFixture, rooms: [Room] = Self.rooms) {
        home.domain.stack.tell(
            .home(
                .sample, lights: lights, rooms: rooms, scenes: [HomeFixture.relax], sensors: [Self.hall, Self.dimmer]))
        home.domain.settle()
    }

    @Test func `a name that lightd itself gives is known before the bridge reports it`() {
        let home = home(Automation(name: "On", triggers: [Self.press], steps: [Self.command("on range")]))
        home.domain.send(Message.Lighting.change(.name("Oven"), on: .light(Self.stove.id)))
        #expect(home.domain.light(Self.stove.id)?.name == "Oven")
        #expect(steps("On", in: home) == ["on Oven"])
    }

    @Test func `a lamp that is renamed is still switched, and shown by today's name`() {
        let home = home(Automation(name: "On", triggers: [Self.press], steps: [Self.command("on range")]))
        rename(Self.stove, "Oven", in: home)
        #expect(steps("On", in: home) == ["on Oven"])
        home.press(Self.dimmer, 1, .pressed)
        #expect(home.sent == [.turn(.on, .light(Self.stove.id), over: .usual)])
        #expect(home.ended("On").map(\.outcome) == [.succeeded])
    }

    @Test func `a run goes on when its automation gets another name`() {
        let automation = Automation(
            name: "Hall", triggers: [Self.press],
            steps: [Self.command("on stove"), .wait(.seconds(60)), Self.command("off stove")])
        let home = home(automation)
        home.domain.send(Message.Automations.run(automation.id))
        home.domain.wait(.seconds(10))
        home.domain.send(
            Message.Automations.replace([automation.named("Foyer")], keepsOthers: true, insteadOf: [automation]))
        #expect(home.state.runs.map(\.automation.name) == ["Foyer"])
        home.domain.wait(.seconds(60))
        #expect(home.state.runs.isEmpty && home.state.ended[Automation.ID("Foyer")]?.count == 1)
        #expect(home.state.all.map(\.name) == ["Foyer"])
    }

    @Test func `a timer and a run that waits restore the lamp that was renamed meanwhile`() {
        let home = home()
        home.domain.send(
            Message.Automations.schedule(
                Automation(
                    name: "timer", triggers: [],
                    steps: [Self.command("on range"), .wait(.seconds(6)), .restore("range")], kind: .once(by: "test"))))
        #expect(home.domain.light(Self.stove.id)?.power == .on)
        rename(Self.stove, "Oven", in: home)
        #expect(home.state.timers.map { $0.steps.last?.description } == ["restore Oven"])
        home.domain.wait(.seconds(6))
        #expect(home.domain.light(Self.stove.id)?.power == .off)
    }

    @Test func `names that are swapped keep their things, one after the other and both at once`() {
        let home = home(
            Automation(name: "Range", triggers: [], steps: [Self.command("on range")]),
            Automation(name: "Table", triggers: [], steps: [Self.command("on table")]))
        rename(Self.stove, "Table", in: home)
        rename(Self.desk, "Range", in: home)
        #expect(steps("Range", in: home) == ["on Table"])
        #expect(steps("Table", in: home) == ["on Range"])
        // As found by a full read.
        let lights = Self.lights
        read(lights, in: home)
        #expect(steps("Range", in: home) == ["on Range"])
        #expect(steps("Table", in: home) == ["on Table"])
    }

    @Test func `a rename while lightd was not running is found when the bridge is read`() {
        var home = home(
            Automation(
                name: "On", triggers: [.becomes(.power("basin", .off))], conditions: [.check(.power("table", .on))],
                steps: [Self.command("on range"), .wait(.seconds(3600)), .restore("table")]))
        home.domain.send(Message.Automations.run(Automation.ID("On")))
        home = home.restarted(after: .seconds(10), begins: false)
        let renamed = Self.lights.map { $0.alter(by: .renaming(.it(to: "New \($0.name)"))) }
        read(renamed, in: home)
        home.domain.stack.tell(.connected(.sample, by: .stream))
        home.domain.settle()
        let automation = home.state.automations[Automation.ID("On")]
        #expect(automation?.triggers.map(\.description) == ["light \"New Basin\" off"])
        #expect(automation?.conditions.map(\.description) == ["light \"New Table\" on"])
        #expect(steps("On", in: home).last == "restore \"New Table\"")
        #expect(home.state.runs.first?.automation.steps.last?.description == "restore \"New Table\"")
    }

    @Test func `a room, a bridge and a sensor that are renamed are still meant`() {
        let home = home(
            Automation(
                name: "All",
                triggers: [.becomes(.motion("hall", true)), .becomes(.bridge("study bridge", isConnected: false))],
                conditions: [.check(.power("@pantry", .on))], steps: [Self.command("off @pantry")]))
        // Not by the fixture's own read, whose room is called like its id.
        let sensors = [Sensor.make("s1", name: "Door", motion: false), Self.dimmer]
        home.domain.stack.tell(
            .home(.sample, lights: Self.lights, rooms: Self.rooms, scenes: [HomeFixture.relax], sensors: sensors))
        home.domain.settle()
        let automation = home.state.automations[Automation.ID("All")]
        #expect(automation?.triggers.first?.description == "motion Door")
        home.domain.stack.tell(.renamed(.room(HomeFixture.kitchen.id), to: "Galley"))
        home.domain.settle()
        #expect(home.state.automations[Automation.ID("All")]?.conditions.map(\.description) == ["@Galley on"])
        #expect(steps("All", in: home) == ["off @Galley"])
        home.report(Sensor.make("s1", name: "Door", motion: false), .init(motion: true))
        #expect(home.sent == [.turn(.off, .room(HomeFixture.kitchen.id), over: .usual)])
    }

    @Test func `a name that another lamp gets too is told apart from it`() {
        let home = home(Automation(name: "On", triggers: [.becomes(.power("range", .on))], steps: [.restore("range")]))
        rename(Self.desk, "Range", in: home)
        #expect(steps("On", in: home) == ["restore Pantry/Range"])
        #expect(home.truth(.power("Pantry/Range", .off)) == true)
        rename(Self.desk, "Table", in: home)
        #expect(steps("On", in: home) == ["restore Range"])
    }

    @Test func `an id and a name in another case stay as they were written`() {
        let home = home(
            Automation(name: "On", triggers: [], steps: [.restore("\(Self.stove.id)"), .restore("TABLE")]))
        rename(Self.stove, "Oven", in: home)
        #expect(steps("On", in: home).last == "restore TABLE")
        #expect(steps("On", in: home).first == "restore \(Self.stove.id)")
    }

    @Test func `what one read of a half-booted bridge lacks is not forgotten, and nothing else is meant meanwhile`() {
        let home = home(Automation(name: "On", triggers: [Self.press], steps: [.restore("range"), .restore("table")]))
        let zone = Room.make("late", name: "Range", kind: .zone, lights: [Self.desk])
        read([Self.sink], in: home, rooms: Self.rooms + [zone])
        #expect(steps("On", in: home) == ["restore \(Self.stove.id)", "restore table"])
        read(
            [Self.stove.alter(by: .renaming(.it(to: "Oven"))), Self.lights[0], Self.sink], in: home,
            rooms: Self.rooms + [zone])
        #expect(steps("On", in: home) == ["restore Oven", "restore table"])
    }

    @Test func `a lamp that was exchanged for one of the same name takes its place`() {
        let home = home(Automation(name: "On", triggers: [Self.press], steps: [Self.command("on range")]))
        home.domain.stack.tell(.removed(.light(Self.stove.id)))
        home.domain.settle()
        #expect(home.domain.store.state().missing(in: home.state.all[0]).map(\.text) == ["the light 'range' is gone"])
        let new = Light.make("stove2", name: "Range", power: .off)
        home.domain.stack.tell(.added(.light(new)))
        home.domain.settle()
        #expect(home.domain.store.state().missing(in: home.state.all[0]).isEmpty)
        rename(new, "Oven", in: home)
        home.press(Self.dimmer, 1, .pressed)
        #expect(home.sent == [.turn(.on, .light(new.id), over: .usual)])
    }

    @Test func `an old file is taken to mean what it meant, and one that is the same changes nothing`() {
        let written = Automation(name: "On", triggers: [Self.press], steps: [Self.command("on range")])
        let home = home(written)
        rename(Self.stove, "Oven", in: home)
        let settled = home.domain.store.state().settled([written], TestCommands.resolve)
        #expect(settled == home.state.lasting)
        #expect(settled.first?.namesReplaced(in: written, TestCommands.resolve).map(\.new) == ["Oven"])
        home.domain.send(Message.Automations.replace([written]))
        #expect(steps("On", in: home) == ["on Oven"])
    }

    @Test func `a name that somebody else has now is the new one's in a file`() {
        let written = Automation(name: "On", triggers: [Self.press], steps: [Self.command("on range")])
        let home = home(written)
        rename(Self.stove, "Oven", in: home)
        rename(Self.sink, "Range", in: home)
        home.domain.send(Message.Automations.replace([written]))
        home.press(Self.dimmer, 1, .pressed)
        #expect(home.sent == [.turn(.on, .light(Self.sink.id), over: .usual)])
    }

    @Test func `automations of older versions learn what they mean once every bridge was read`() {
        let written = Automation(name: "On", triggers: [Self.press], steps: [Self.command("on range")])
        let home = home(written)
        #expect(written.names == nil)
        #expect(home.state.all.first?.names?.first?.thing == .light(Self.stove.id))
    }
}
