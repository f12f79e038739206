import HueWire
import TestSupport
import Testing

@testable import HueBridge

struct CommandSchedulerTests {
    private static let off = LightUpdate(on: false)
    private static func lamps(_ count: Int) -> [ResourceID] { (0..<count).map { ResourceID("lamp-0-\($0)") } }
    private static func at(_ milliseconds: Int, _ update: LightUpdate, _ lights: [ResourceID]) -> Wanted {
        Wanted(time: .milliseconds(milliseconds), content: .update(update, of: lights))
    }

    @Test(arguments: [[50], [10, 10, 10, 10, 10], [49, 1]]) func `fifty lamps are turned off by one request`(
        rooms: [Int]
    ) throws {
        let layout = CommandScheduler.Group.home(rooms)
        var simulation = SchedulerSimulation(layout)
        let everybody = layout[0].members
        try simulation.live([Self.at(0, Self.off, everybody)])
        #expect(simulation.sent.map(\.request.content) == [.group("home", members: everybody, Self.off)])
        #expect(simulation.completions == [Completion(token: 1, result: .done)])
    }

    @Test func `fifty commands for one lamp each become one request too`() {
        let layout = CommandScheduler.Group.home([25, 25])
        let scheduler = SchedulerFixture(layout)
        for (token, light) in layout[0].members.enumerated() {
            _ = scheduler.ask(Self.off, of: [light], by: UInt64(token), deadline: .seconds(5), at: .zero)
        }
        guard case let .send(request) = scheduler.next(at: .zero) else { return #expect(Bool(false)) }
        #expect(request.content == .group("home", members: layout[0].members, Self.off))
        #expect(scheduler.next(at: .zero) == .wait(until: .seconds(5)))
        #expect(scheduler.answer(request.id, with: .done, chance: 0, at: .milliseconds(90)).count == 50)
        #expect(scheduler.next(at: .milliseconds(90)) == .rest)
    }

    @Test func `a repair replaces no value of a newer command`() {
        let scheduler = SchedulerFixture(CommandScheduler.Group.home([1]))
        let lamp = Self.lamps(1)
        _ = scheduler.ask(LightUpdate(on: true), of: lamp, by: 1, deadline: .seconds(5), at: .zero)
        let again = LightUpdate(on: false, brightness: 40)
        #expect(scheduler.askAgain(again, of: lamp[0], by: 2, deadline: .seconds(5), at: .zero).isEmpty)
        guard case let .send(request) = scheduler.next(at: .zero) else { return #expect(Bool(false)) }
        #expect(request.content == .light(lamp[0], LightUpdate(on: true, brightness: 40)))
        let settled = scheduler.answer(request.id, with: .done, chance: 0, at: .milliseconds(90))
        #expect(settled.map(\.token).sorted() == [1, 2])
    }

    @Test func `a lamp that got no command is not changed with its group`() throws {
        let layout = CommandScheduler.Group.home([4])
        var simulation = SchedulerSimulation(layout)
        try simulation.live([Self.at(0, LightUpdate(on: true), Self.lamps(3))])
        #expect(simulation.sent.count == 3)
        #expect(simulation.lamps["lamp-0-3"] == ModelLamp())
    }

    @Test func `twenty sliders with fifty moves each reach their last values within the budget`() throws {
        let layout = CommandScheduler.Group.home([20])
        var simulation = SchedulerSimulation(layout, weather: SchedulerSimulation.Weather(latency: 30...90))
        let script = (0..<50).flatMap { move in
            Self.lamps(20).enumerated().map { place, lamp in
                Self.at(move * 20, LightUpdate(on: true, brightness: Double((move * 7 + place * 3) % 100)), [lamp])
            }
        }
        try simulation.live(script)
        #expect(simulation.lamps == simulation.requested)
        #expect(SchedulerSimulation.most(simulation.lightTimes) <= 10)
        // The first ten at once, ten in the next second, twenty for the last values.
        #expect(simulation.sent.count <= 40)
        #expect(simulation.now <= .seconds(4.5))
        #expect(simulation.completions.count == 1000)
    }

    @Test func `values set before a scene are sent before it, later values after it`() throws {
        let layout = CommandScheduler.Group.home([1, 2])
        var simulation = SchedulerSimulation(layout)
        let lamp: ResourceID = "lamp-0-0"
        try simulation.live([
            Self.at(0, LightUpdate(on: true, brightness: 10), [lamp]),
            Wanted(time: .zero, content: .recall(LightUpdate(on: true, brightness: 50), of: [lamp, "lamp-1-0"])),
            Self.at(0, LightUpdate(brightness: 90), [lamp]),
            Self.at(0, LightUpdate(brightness: 91), [lamp]),
        ])
        #expect(
            simulation.sent.map(\.request.content) == [
                .light(lamp, LightUpdate(on: true, brightness: 10)), .job(2), .light(lamp, LightUpdate(brightness: 91)),
            ])
        #expect(simulation.lamps == simulation.requested)
    }

    @Test func `turning a home off waits for the scene recalled before it, and is still one request`() throws {
        let layout = CommandScheduler.Group.home([6, 6])
        var simulation = SchedulerSimulation(layout)
        let everybody = layout[0].members
        try simulation.live([
            Wanted(time: .zero, content: .recall(LightUpdate(on: true), of: Array(everybody.prefix(3)))),
            Self.at(0, Self.off, everybody),
        ])
        #expect(
            simulation.sent.map(\.request.content) == [.job(1), .group("home", members: everybody, Self.off)])
        #expect(simulation.lamps == simulation.requested)
    }

    @Test func `values that all members share go first in a group command, the others in single ones`() throws {
        let layout = CommandScheduler.Group.home([8])
        var simulation = SchedulerSimulation(layout)
        let red = LightUpdate.Color.xy(XY(x: 0.6, y: 0.3))
        try simulation.live([
            Self.at(0, LightUpdate(on: true, brightness: 40), Self.lamps(8)),
            Self.at(0, LightUpdate(color: red), Self.lamps(3)),
        ])
        #expect(
            simulation.sent.map(\.request.content) == [
                .group("home", members: Self.lamps(8), LightUpdate(on: true, brightness: 40)),
                .light("lamp-0-0", LightUpdate(color: red)), .light("lamp-0-1", LightUpdate(color: red)),
                .light("lamp-0-2", LightUpdate(color: red)),
            ])
        #expect(simulation.lamps == simulation.requested)
    }

    @Test func `commands are not partly grouped to save only one`() throws {
        let layout = CommandScheduler.Group.home([4])
        var simulation = SchedulerSimulation(layout)
        try simulation.live([
            Self.at(0, LightUpdate(on: true), Self.lamps(4)),
            Self.at(0, LightUpdate(color: .mirek(300)), Self.lamps(2)),
        ])
        #expect(simulation.sent.count == 4)
        #expect(simulation.groupTimes.isEmpty)
        #expect(simulation.lamps == simulation.requested)
    }

    @Test func `values do not go to a group while one member is still to be turned on`() throws {
        let layout = CommandScheduler.Group.home([5])
        var simulation = SchedulerSimulation(layout)
        try simulation.live([
            Self.at(0, LightUpdate(brightness: 30), Self.lamps(5)), Self.at(0, LightUpdate(on: true), Self.lamps(1)),
        ])
        #expect(simulation.groupTimes.isEmpty)
        #expect(
            simulation.sent.contains { $0.request.content == .light("lamp-0-0", LightUpdate(on: true, brightness: 30)) }
        )
    }

    @Test func `single commands are sent if they finish sooner; at a tie a group command is sent`() throws {
        let layout = CommandScheduler.Group.home([5, 5])
        let (first, second) = (layout[1].members, layout[2].members)
        var simulation = SchedulerSimulation(layout, weather: SchedulerSimulation.Weather(latency: 10...10))
        try simulation.live([
            Self.at(0, LightUpdate(on: true), first),
            Self.at(300, LightUpdate(on: true), second),
        ])
        // A group command could be sent at 1.05 s only; five single commands are within the budget.
        #expect(simulation.groupTimes == [.zero])
        #expect(simulation.lightTimes.count == 5)
        #expect(simulation.sent.last.map { $0.time < .milliseconds(400) } == true)

        // Twelve lamps exceed the budget of a second: they wait for a group command, and change together.
        let larger = CommandScheduler.Group.home([5, 12])
        simulation = SchedulerSimulation(larger, weather: SchedulerSimulation.Weather(latency: 10...10))
        try simulation.live([
            Self.at(0, LightUpdate(on: true), larger[1].members),
            Self.at(300, LightUpdate(on: true), larger[2].members),
        ])
        #expect(simulation.groupTimes == [.zero, .milliseconds(1050)])
        #expect(simulation.lightTimes.isEmpty)
    }

    @Test func `a group command waits for a member with a request in flight, but not for long`() {
        let layout = CommandScheduler.Group.home([20])
        let scheduler = SchedulerFixture(layout)
        _ = scheduler.ask(LightUpdate(on: true), of: Self.lamps(1), by: 1, deadline: .seconds(60), at: .zero)
        guard case let .send(single) = scheduler.next(at: .zero) else { return #expect(Bool(false)) }
        _ = scheduler.ask(Self.off, of: Self.lamps(20), by: 2, deadline: .seconds(60), at: .zero)
        #expect(scheduler.next(at: .zero) == .wait(until: .milliseconds(500)))
        // It answers in time: one command for all.
        let quick = SchedulerFixture(layout, scheduler.scheduler)
        _ = quick.answer(single.id, with: .done, chance: 0, at: .milliseconds(80))
        guard case let .send(all) = quick.next(at: .milliseconds(80)) else { return #expect(Bool(false)) }
        #expect(all.content == .group("home", members: Self.lamps(20), Self.off))
        // It does not: the others go alone.
        guard case let .send(other) = scheduler.next(at: .milliseconds(500)) else { return #expect(Bool(false)) }
        #expect(other.content == .light("lamp-0-1", Self.off))
    }

    /// A fade that the off cuts short would leave the lamp at the level that it had reached.
    @Test func `values set before an off are sent before it, at once, and a later on replaces the off`() throws {
        var simulation = SchedulerSimulation(CommandScheduler.Group.home([1, 1]))
        let lamp: ResourceID = "lamp-0-0"
        try simulation.live([
            Self.at(0, LightUpdate(on: true, brightness: 40, milliseconds: 2000), [lamp]), Self.at(0, Self.off, [lamp]),
        ])
        #expect(
            simulation.sent.map(\.request.content) == [
                .light(lamp, LightUpdate(brightness: 40, milliseconds: 0)), .light(lamp, Self.off),
            ])
        simulation = SchedulerSimulation(CommandScheduler.Group.home([1, 1]))
        try simulation.live([
            Self.at(0, LightUpdate(brightness: 40), [lamp]), Self.at(0, Self.off, [lamp]),
            Self.at(0, LightUpdate(on: true), [lamp]),
        ])
        #expect(simulation.sent.map(\.request.content) == [.light(lamp, LightUpdate(on: true, brightness: 40))])
        #expect(simulation.completions.map(\.result) == [.done, .done, .done])
    }

    @Test func `turning a home off waits for values set before it, and is one command`() throws {
        let layout = CommandScheduler.Group.home([10])
        var simulation = SchedulerSimulation(layout)
        try simulation.live([
            Self.at(0, LightUpdate(brightness: 30), Self.lamps(2)), Self.at(0, Self.off, Self.lamps(10)),
        ])
        #expect(
            simulation.sent.map(\.request.content) == [
                .light("lamp-0-0", LightUpdate(brightness: 30, milliseconds: 0)),
                .light("lamp-0-1", LightUpdate(brightness: 30, milliseconds: 0)),
                .group("home", members: Self.lamps(10), Self.off),
            ])
    }

    @Test func `the newer colour replaces the older white`() throws {
        var simulation = SchedulerSimulation(CommandScheduler.Group.home([1, 1]))
        let lamp: ResourceID = "lamp-0-0"
        let red = LightUpdate.Color.xy(XY(x: 0.6, y: 0.3))
        try simulation.live([
            Self.at(0, LightUpdate(color: .mirek(300)), [lamp]), Self.at(0, LightUpdate(color: red), [lamp]),
        ])
        #expect(simulation.sent.map(\.request.content) == [.light(lamp, LightUpdate(color: red))])
    }

    @Test func `writes are sent before reads`() {
        let scheduler = SchedulerFixture()
        _ = scheduler.ask(job: 1, cost: .read, deadline: .seconds(1), at: .zero)
        _ = scheduler.ask(job: 2, cost: .other, deadline: .seconds(1), at: .zero)
        _ = scheduler.ask(Self.off, of: ["lamp"], by: 3, deadline: .seconds(1), at: .zero)
        var sent: [ScheduledRequest.Content] = []
        while case let .send(request) = scheduler.next(at: .zero) { sent.append(request.content) }
        #expect(sent == [.job(2), .light("lamp", Self.off), .job(1)])
    }

    @Test func `four hundred lamps with different values are all set`() throws {
        let layout = CommandScheduler.Group.home(Array(repeating: 10, count: 40))
        var simulation = SchedulerSimulation(layout, weather: SchedulerSimulation.Weather(latency: 30...90))
        let script = layout[0].members.enumerated().map { place, lamp in
            Self.at(0, LightUpdate(on: true, brightness: Double(place % 97)), [lamp])
        }
        try simulation.live(script)
        #expect(simulation.lamps == simulation.requested)
        #expect(simulation.now < .seconds(43))
    }
}
