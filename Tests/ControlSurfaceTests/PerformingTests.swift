import ControlProtocol
import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import ControlSurface

@Suite struct PerformingTests {
    @Test func `a command is answered with its ticket and the new states of its lights`() async throws {
        try await SurfaceFixture.run { surface in
            let reply = try await surface.perform(.turn(to: .off, target: "@kitchen", over: 2000))
            #expect(reply.ticket == 1)
            #expect(reply.lights?.map(\.name) == ["Stove", "Sink", "Fan"])
            #expect(reply.lights?.allSatisfy { $0.power == .off && $0.freshness == .confirmed } == true)
            #expect(
                surface.home.stack.requests == [
                    .set(HomeFixture.kitchen.lights.map { DesiredState($0, power: .off) }, .milliseconds(2000))
                ])
        }
    }

    private static let notTried = AppState.make(
        bridges: [.make(connection: .lost(since: .sample, because: .notReachedYet(.sample)))])

    @Test func `a command that comes before the bridge was tried waits until its lights are known`() async throws {
        try await SurfaceFixture.run(in: Self.notTried, connects: false) { surface in
            async let reply = surface.perform(.turn(to: .off, target: "desk"))
            try await until("the command waits") { surface.home.clock.isAwaited(within: .seconds(5)) }
            await surface.home.change(.adding(.light(HomeFixture.desk)))
            #expect(surface.home.stack.requests == [])
            await surface.home.change(.adding(.bridge(.make())))
            #expect(try await reply.lights?.map(\.name) == ["Desk"])
        }
    }

    @Test func `a bridge that nobody has reached within five seconds keeps no command waiting`() async throws {
        try await SurfaceFixture.run(in: Self.notTried, connects: false) { surface in
            async let error = surface.error(of: .turn(to: .off, target: "desk"))
            try await until("the command waits") { surface.home.clock.isAwaited(within: .seconds(5)) }
            await surface.home.clock.advance(by: .seconds(5))
            #expect(await error?.code == .bridgeUnreachable)
            // What is not about the home waits for nothing.
            #expect(await surface.error(of: .removeCurve(name: "none"))?.code == .noSuchTarget)
        }
    }

    @Test(arguments: [
        (Command.toggle(target: "desk"), MemoryStack.Request.set([.init(HomeFixture.desk.id, power: .off)], .usual)),
        (
            .set(.init(brightness: 40), target: "desk"),
            .set([.init(HomeFixture.desk.id, power: .on, .bri(0.4))], .usual)
        ),
        (
            .set(.init(brightness: 40, color: "#00f"), target: "desk", over: 100),
            .set([.init(HomeFixture.desk.id, power: .on, .hsb(2.0 / 3, 1, 0.4))], .milliseconds(100))
        ),
        (
            .set(.init(hue: 90, saturation: 50), target: "desk"),
            .set(
                [.init(HomeFixture.desk.id, power: .on, .hsb(hue: 0.25, saturation: 0.5, brightness: nil))],
                .usual)
        ),
        (
            .set(.init(temperature: 250), target: "desk"),
            .set([.init(HomeFixture.desk.id, power: .on, .ct(250.mirek))], .usual)
        ),
        (
            .increase(.brightness, by: 10, target: "desk"),
            .set([.init(HomeFixture.desk.id, .bri(0.6))], .usual)
        ),
        (
            .decrease(.brightness, by: 10, target: "desk"),
            .set([.init(HomeFixture.desk.id, .bri(0.4))], .usual)
        ),
        (.rename(target: "@study", name: "Library"), .rename(.room(HomeFixture.study.id), "Library")),
        (.recall(scene: "kitchen/relax"), .recall(HomeFixture.relax.id, .usual)),
        (
            .recall(scene: "kitchen/relax", dynamic: true, speed: 60),
            .recall(HomeFixture.relax.id, .usual, moving: SceneMotion(speed: 0.6))
        ),
        (
            .recall(scene: "kitchen/relax", dynamic: false),
            .recall(HomeFixture.relax.id, .usual, moving: .still)
        ), (.load, .load),
        (.discover(seconds: 1), .discover), (.forget(bridge: "study bridge"), .forget(.sample)),
    ])
    func `every command sends the right request to the lights`(command: Command, request: MemoryStack.Request)
        async throws
    {
        try await SurfaceFixture.run { surface in
            try await surface.perform(command)
            #expect(surface.home.stack.requests == [request])
        }
    }

    @Test func `the dashboard is arranged with places counted from 1`() async throws {
        try await SurfaceFixture.run { surface in
            try await surface.perform(.pin(target: "desk"))
            try await surface.perform(.pin(target: "@kitchen"))
            try await surface.perform(.move(target: "@kitchen", place: 1))
            let reply = try await surface.perform(.display(target: "desk", as: .scrubbing))
            #expect(reply.dashboard?.map(\.name) == ["Kitchen", "Desk"])
            #expect(reply.dashboard?.last?.display == .scrubbing)
            #expect(try await surface.perform(.unpin(target: "desk")).dashboard?.map(\.name) == ["Kitchen"])
        }
    }

    @Test func `all off leaves on what is left out, and nothing else`() async throws {
        try await SurfaceFixture.run(in: HomeFixture.state) { surface in
            try await surface.perform(.exclude(target: "@study", from: .allOff))
            let reply = try await surface.perform(.allOff())
            // The stove is off.
            #expect(Set(reply.lights?.map(\.name) ?? []) == ["Sink", "Fan"])
            #expect(await surface.home.store.state().lights.values.filter { $0.power == .on }.map(\.name) == ["Desk"])
            try await surface.perform(.undo())
            let lit = await surface.home.store.state().lights.values.filter { $0.power == .on }.map(\.name)
            #expect(Set(lit) == ["Desk", "Sink", "Fan"])
            try await surface.perform(.turn(to: .off, target: "all"))
            #expect(await surface.home.store.state().lights.values.allSatisfy { $0.power == .off })
        }
    }

    @Test func `lists say what leaves a light out, and followers are told`() throws {
        let before = Directory(HomeFixture.state)
        let after = Directory(
            HomeFixture.state.alter(
                by: .updating(.dashboard(by: .excluding(.lights([HomeFixture.fan.id], from: .allOff))))))
        #expect(after.lightBodies.filter { $0.excludedFrom == [.allOff] }.map(\.name) == ["Fan"])
        #expect(before.lightBodies.allSatisfy { $0.excludedFrom == nil })
        #expect(try after.events(since: before).map(\.name) == [.light])
    }

    @Test func `a plug follows nothing`() async throws {
        try await SurfaceFixture.run(in: HomeFixture.state) { surface in
            for command in [Command.follow(target: "fan"), .wake(target: "fan")] {
                let error = await #expect(throws: ErrorReply.self) { try await surface.perform(command) }
                #expect(error?.error.code == .cannot && error?.error.message == "'Fan' cannot be dimmed")
            }
        }
    }

    @Test func `a light that gets the name of another one is renamed, with a warning that names it`() async throws {
        let (desk, sink) = (HomeFixture.desk, HomeFixture.sink)
        let state = HomeFixture.state.alter(by: .updating(.light(desk.id, by: [.renaming(.it(to: "Sink"))])))
        #expect(
            Directory(state).warning(afterRenaming: .light(desk.id))
                == "other lights are called 'Sink' too: 'Study/Sink' names this one")
        #expect(Directory(HomeFixture.state).warning(afterRenaming: .light(sink.id)) == nil)
    }

    @Test(arguments: [
        (Duration.seconds(2), "2 s"), (.milliseconds(500), "0.5 s"), (.seconds(90), "90 s"), (.seconds(120), "2 min"),
        (.seconds(330), "5 min 30 s"), (.milliseconds(568_730_700), "6 d 13 h"), (.seconds(86_400), "1 d"),
    ])
    func `a long time is told in days, hours and minutes`(duration: Duration, words: String) {
        #expect(duration.words == words)
    }

    @Test func `a pin can be removed by its text after its light is gone`() async throws {
        let gone = Light.ID(bridge: .sample, resource: "gone")
        let state = HomeFixture.state.alter(by: .replacing(.dashboard(by: Dashboard(pins: [.init(.light(gone))]))))
        try await SurfaceFixture.run(in: state) { surface in
            let reply = try await surface.perform(.unpin(target: gone.description))
            #expect(reply.dashboard == [])
        }
    }

    @Test(arguments: [
        (Command.set(.init(), target: "desk"), "nothing to set"),
        (.set(.init(brightness: 101), target: "desk"), "'brightness' is 101, which is out of range: use 0 to 100"),
        (.set(.init(brightness: .nan), target: "desk"), "'brightness'"),
        (.set(.init(hue: 10, temperature: 200), target: "desk"), "temperature"),
        (.set(.init(color: "red", hue: 3), target: "desk"), "'color'"),
        (.set(.init(color: "loud"), target: "desk"), "'loud'"),
        (.set(.init(temperature: 0), target: "desk"), "'temperature' is 0, which is out of range: use 1 to 1000"),
        (.turn(to: .on, target: "all", over: -1), "'over' is -1"),
        (.turn(to: .on, target: "all", over: 6_000_001), "'over'"),
        (.increase(.hue, by: -3, target: "all"), "'by'"),
        (.undo(steps: 0), "'steps' is 0, which is out of range: use 1 to 1000"),
        (.redo(steps: 1001), "use 1 to 1000"),
        (.move(target: "all", place: 10_001), "'place' is 10001, which is out of range: use 1 to 10000"),
        (.move(target: "all", place: 0), "'place'"), (.prune(days: -1), "'days'"),
        (.discover(seconds: 61), "'seconds'"), (.pair(seconds: -1), "'seconds'"),
        (.rename(target: "desk", name: "\u{0}"), "a name must consist of printable characters"),
        (.rename(target: "desk", name: "Desk\u{9B}1m"), "a name must consist of printable characters"),
        (.rename(target: "desk", name: "Desk\u{202E}ksed"), "a name must consist of printable characters"),
        (.rename(target: "desk", name: "@desk"), "'all' and '@' have a meaning of their own here"),
        (.rename(target: "desk", name: ""), "name"), (.rename(target: "all", name: "x"), "all"),
    ])
    func `an invalid command is refused with what was expected`(
        command: Command, word: String
    ) async throws {
        try await SurfaceFixture.run { surface in
            let error = try #require(await surface.error(of: command))
            #expect(error.code == .invalid)
            #expect(error.message.contains(word), "\(error.message)")
            #expect(surface.home.stack.requests.isEmpty)
        }
    }

    @Test func `the domain's longest transition is accepted`() async throws {
        try await SurfaceFixture.run { surface in
            try await surface.perform(.turn(to: .on, target: "desk", over: Transition.longest))
        }
    }

    @Test func `unknown and ambiguous names are errors with candidates`() async throws {
        let other = Light.make("desk2", name: "Desk")
        let state = HomeFixture.state.alter(
            by: .adding(.light(other)), .updating(.room(HomeFixture.kitchen.id, by: .placing(.lights([other.id])))))
        try await SurfaceFixture.run(in: state) { surface in
            let both = await surface.error(of: .toggle(target: "desk"))
            #expect(both?.code == .ambiguousTarget && both?.candidates == ["Kitchen/Desk", "Study/Desk"])
            let near = await surface.error(of: .toggle(target: "Stve"))
            #expect(near?.code == .noSuchTarget && near?.candidates == ["Stove"])
            #expect(await surface.error(of: .recall(scene: "Work"))?.code == .noSuchTarget)
            #expect(await surface.error(of: .forget(bridge: "Work"))?.code == .noSuchTarget)
            #expect(surface.home.stack.requests.isEmpty)
        }
    }

    @Test func `in a home without bridges any name is answered with: not paired`() async throws {
        try await SurfaceFixture.run(in: AppState()) { surface in
            #expect(await surface.error(of: .toggle(target: "desk"))?.code == .notPaired)
        }
    }

    @Test func `two callers with the same command each get their own outcome`() async throws {
        try await SurfaceFixture.run { surface in
            let stack = surface.home.stack
            stack.hold()
            async let one = surface.perform(.toggle(target: "desk"))
            try await until("the first command is sent") { stack.requests.count == 1 }
            async let other = surface.perform(.toggle(target: "desk"))
            try await until("both commands are sent") { stack.requests.count == 2 }
            stack.release()
            let replies = try await [one, other]
            #expect(replies.map(\.ticket) == [1, 2])
            #expect(surface.home.journal.entries.filter { $0.message.isResponse }.count == 2)
        }
    }

    @Test func `a caller that is cancelled does not wait, and its command is still carried out`() async throws {
        try await SurfaceFixture.run { surface in
            let stack = surface.home.stack
            stack.hold()
            let caller = Task { try await surface.perform(.toggle(target: "desk")) }
            try await until("the command is sent") { stack.requests.count == 1 }
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
            stack.release()
            try await until("the desk is off") { await surface.home.light(HomeFixture.desk.id)?.power == .off }
        }
    }

    @Test func `discovery reports what was tried and which bridge is paired`() async throws {
        try await SurfaceFixture.run { surface in
            let attempt = Discovery.Attempt(way: .lastKnown, asked: "192.0.2.10", result: "answers", succeeded: true)
            surface.home.stack.find([
                Discovery(
                    id: .sample, name: "Study bridge", model: "BSB002", address: .init(host: "192.0.2.10", port: 443),
                    attempts: [attempt]),
                Discovery(id: nil, name: "", model: "", address: nil, attempts: []),
            ])
            let found = try #require(try await surface.perform(.discover()).discovered)
            #expect(found.map(\.paired) == [true, false])
            #expect(found[0].attempts[0].way == "last_known" && found[0].address == "192.0.2.10:443")
        }
    }
}

@Suite struct PairingTests {
    private static let lost = Bridge.make(
        connection: .lost(since: .sample, because: .unreachable(.sample, because: "not yet connected")))

    /// A stack that pairs with a bridge; whether it then connects is the fixture's choice.
    private static var stack: MemoryStack {
        let stack = HomeFixture.stack
        stack.pair(with: .success(Pairing(bridge: lost, key: Secret("k"), clientKey: nil, trust: .maker)))
        return stack
    }

    @Test func `pairing answers when the bridge's lights are known`() async throws {
        try await SurfaceFixture.run(in: AppState(), stack: Self.stack) { surface in
            let reply = try await surface.perform(.pair())
            #expect(reply.bridge?.connected == true && reply.bridge?.lights == 4)
            #expect(surface.surface.directory.lightBodies.count == 4)
        }
    }

    @Test func `a button that is not pressed is reported at once`() async throws {
        let stack = MemoryStack()
        stack.pair(with: .failure(.buttonNotPressed(on: .sample)))
        try await SurfaceFixture.run(in: AppState(), stack: stack) { surface in
            #expect(await surface.error(of: .pair())?.code == .buttonNotPressed)
        }
    }

    @Test func `the answer waits for a bridge that connects later`() async throws {
        try await SurfaceFixture.run(in: AppState(), stack: Self.stack, connects: false) { surface in
            async let reply = surface.perform(.pair())
            try await until("the bridge is paired") { await surface.home.store.current(\.bridges.count) == 1 }
            surface.home.stack.tell(
                .home(.sample, lights: HomeFixture.lights, rooms: HomeFixture.rooms, scenes: []))
            surface.home.stack.tell(.connected(.sample, by: .stream))
            let bridge = try #require(try await reply.bridge)
            #expect(bridge.connected && bridge.lights == 4)
        }
    }

    @Test func `the answer waits 5 s at most for a bridge that does not connect`() async throws {
        try await SurfaceFixture.run(in: AppState(), stack: Self.stack, connects: false) { surface in
            async let reply = surface.perform(.pair())
            try await until("the answer waits") { surface.home.clock.isAwaited() }
            await surface.home.clock.advance(by: .milliseconds(5001))
            let bridge = try #require(try await reply.bridge)
            #expect(!bridge.connected && bridge.lights == 0)
        }
    }

    @Test func `a room's mean is set with its ratios kept, rehearsed, told and undone`() async throws {
        try await SurfaceFixture.run { surface in
            let command = Command.set(.init(brightness: 75), target: "@Evening", keepRatios: true)
            let dry = try await surface.surface.perform(CommandRequest(command, dryRun: true), from: "test")
            #expect(dry.ticket == 0 && surface.surface.directory.light(HomeFixture.desk.id)?.brightness == 0.5)
            // Desk 50 % and sink 25 %: the desk is full, and the sink takes the rest.
            let reply = try await surface.perform(command, wait: true)
            #expect(reply.lights?.map(\.brightness) == [100, 50])
            let log = try await surface.surface.log(Journal.Filter(limit: 100), from: "test").map(\.text)
            #expect(log.contains("set @Evening to 75% on average"))
            try await surface.perform(.undo(), wait: true)
            #expect(surface.surface.directory.light(HomeFixture.sink.id)?.brightness == 0.25)
        }
    }

    @Test func `a room's mean is stepped with its ratios kept, and only that has ratios or steps for the eye`()
        async throws
    {
        try await SurfaceFixture.run { surface in
            let step = Command.Stepping(keepRatios: true)
            let reply = try await surface.perform(.decrease(.brightness, by: 7.5, target: "@Evening", step), wait: true)
            #expect(reply.lights?.map(\.brightness) == [40, 20])
            let error = await surface.error(of: .increase(.hue, by: 5, target: "desk", step))
            #expect(error?.code == .invalid && error?.message == "'keep_ratios' goes with the value 'brightness' alone")
            let other = await surface.error(of: .decrease(.hue, by: 5, target: "desk", .init(perceptual: true)))
            #expect(other?.message == "'perceptual' goes with the value 'brightness' alone")
        }
    }

    @Test(arguments: [
        LightValuesBody(brightness: 40, color: "red"), .init(hue: 3), .init(brightness: 40, temperature: 300), .init(),
    ]) func `ratios are kept of the brightness alone`(values: LightValuesBody) async throws {
        try await SurfaceFixture.run { surface in
            let error = await surface.error(of: .set(values, target: "@Kitchen", keepRatios: true))
            #expect(error?.code == .invalid && error?.message == "'keep_ratios' goes with 'brightness' alone")
        }
    }
}
