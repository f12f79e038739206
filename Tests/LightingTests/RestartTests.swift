import FoundationEssentials
import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

/// What lightd remembers of the lights when it is started again.
@DomainActor
struct RestartTests {
    nonisolated private static let lights = [
        Light.make("desk", name: "Desk", brightness: 0.5),
        Light.make("shelf", name: "Shelf", power: .off, brightness: 0.2, modes: [.ct]),
        Light.make("sofa", name: "Sofa", hue: 0.7, saturation: 0.9, mode: .hsb),
    ]
    private var desk: Light { Self.lights[0] }
    private let room = Room.make(lights: lights)

    private func home() -> DomainFixture {
        DomainFixture(
            .make(lights: Self.lights, rooms: [room]), stack: MemoryStack(lights: Self.lights, rooms: [room]))
    }

    /// lightd as it is started again. The bridge is not read yet.
    private func restarted(_ home: DomainFixture) throws -> DomainFixture {
        let memory = try saved(home.archive.memory)
        let clock = home.clock
        clock.advance(by: .seconds(60))
        let lost = Bridge.Connection.lost(since: clock.now, because: .unreachable(.sample, because: "no answer"))
        return DomainFixture(
            AppState().alter(by: .adding(.bridge(.make(connection: lost))), .replacing(.memory(by: memory))),
            clock: clock, firstTicket: 1000)
    }

    /// As it is after it was written and read again.
    private func saved(_ memory: Memory) throws -> Memory {
        func again<Value: Codable>(_ value: Value) throws -> Value {
            try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
        }
        let lights = try [memory.lights, memory.unreadLights].flatMap(\.values).map { try again($0.remembered) }
        return Memory(
            unreadLights: TreeDictionary(uniqueKeysWithValues: lights.map { ($0.id, $0) }),
            history: History(steps: try memory.history.steps.map { try again($0.remembered) }))
    }

    /// The bridge reports its lights with these values, and nothing else about them.
    private func report(_ values: [Light.ID: Light.Values], to home: DomainFixture) {
        let lights = Self.lights.map { light in
            let values = values[light.id] ?? light.values
            return Light(
                id: light.id, name: light.name, values: values, modes: light.modes, limits: light.limits,
                heard: home.clock.now)
        }
        home.stack.tell(.connected(.sample, by: .stream))
        home.stack.tell(.home(.sample, lights: lights, rooms: [room], scenes: []))
        home.settle()
    }

    private func values(_ home: DomainFixture) -> [Light.ID: Light.Values] {
        Dictionary(uniqueKeysWithValues: home.store.state().lights.values.map { ($0.id, $0.values) })
    }

    private func outcome(_ home: DomainFixture, _ ticket: Ticket) -> (reversal: Reversal, outcome: Outcome)? {
        switch home.response(to: ticket) {
        case let .lighting(.undoing(reversal, outcome), _), let .lighting(.redoing(reversal, outcome), _):
            (reversal, outcome)
        default: nil
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `undo and redo do the same with and without a restart`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let running = home()
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let target: Target = Bool.random(using: &random) ? .room(room.id) : .light(desk.id)
            let value = Double.random(in: 0.05...1, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: running.send(.turn(.on, target, over: .usual))
            case 1: running.send(.turn(.off, target, over: .usual))
            case 2: running.send(.apply(.values(.bri(value)), on: target, over: .usual))
            case 3: running.send(.apply(.values(.hsb(value, 1, value)), on: target, over: .usual))
            case 4: running.send(.undo(Int.random(in: 1...2, using: &random), over: .usual))
            default: running.stack.tell(.light(desk.id, Light.Report(brightness: value, source: .accessory("Dimmer"))))
            }
            running.settle()
        }
        let restarted = try restarted(running)
        report(values(running), to: restarted)
        for light in Self.lights.map(\.id) { #expect(restarted.light(light)?.cause == running.light(light)?.cause) }
        for _ in 0..<6 {
            let count = Int.random(in: 1...3, using: &random)
            let command: Message.Lighting =
                Bool.random(using: &random) ? .undo(count, over: .usual) : .redo(count, over: .usual)
            let (one, other) = (outcome(running, running.send(command)), outcome(restarted, restarted.send(command)))
            #expect(one?.outcome == other?.outcome)
            #expect(one?.reversal == other?.reversal)
            #expect(values(running) == values(restarted))
        }
    }

    @Test func `a light that was changed while lightd did not run keeps that, and undo names it`() throws {
        let running = home()
        running.send(.turn(.off, .room(room.id), over: .usual))
        var values = values(running)
        values[desk.id] = Light.make(brightness: 0.9).values
        let restarted = try restarted(running)
        report(values, to: restarted)
        #expect(restarted.light(desk.id)?.cause == Cause(.unseen, at: restarted.clock.now))
        let end = outcome(restarted, restarted.send(.undo(1, over: .usual)))
        #expect(end?.reversal.skipped.map(\.light) == [desk.id] && end?.outcome == .succeeded)
        #expect(restarted.light(Self.lights[2].id)?.power == .on)
    }

    @Test func `a command that was confirmed only after lightd had ended is the cause, and can be undone`() throws {
        let running = home()
        running.stack.echo(false)
        let ticket = running.send(.apply(.values(.bri(0.1)), on: .light(desk.id), over: .usual))
        let restarted = try restarted(running)
        report(values(running), to: restarted)
        #expect(restarted.light(desk.id)?.cause == Cause(.command(ticket), at: ticket.time))
        restarted.send(.undo(1, over: .usual))
        #expect(restarted.light(desk.id)?.brightness == 0.5)
    }

    @Test func `a command that never arrived is not expected after a restart`() throws {
        let running = home()
        running.stack.echo(false)
        running.send(.apply(.values(.bri(0.1)), on: .light(desk.id), over: .usual))
        let restarted = try restarted(running)
        report([:], to: restarted)
        #expect(restarted.light(desk.id)?.brightness == 0.5)
        #expect(restarted.light(desk.id)?.freshness == .confirmed(at: restarted.clock.now))
        #expect(restarted.light(desk.id)?.cause == desk.cause)
    }

    @Test func `until its bridge is read, a command cannot be undone, and is not lost`() throws {
        let running = home()
        running.send(.turn(.off, .light(desk.id), over: .usual))
        let restarted = try restarted(running)
        let end = outcome(restarted, restarted.send(.undo(1, over: .usual)))
        #expect(end?.outcome == .failed(.unreachable(.sample, because: "no answer")))
        #expect(restarted.stack.requests.isEmpty)
        report(values(running), to: restarted)
        restarted.send(.undo(1, over: .usual))
        #expect(restarted.light(desk.id)?.power == .on)
    }

    @Test func `of a command for two bridges, what the known one shows is undone, and the other is named`() throws {
        let other = Light.make("hall", name: "Hall", bridge: Bridge.ID("ecb5fafffe0a0b0c"))
        let lights = [desk, other]
        let running = DomainFixture(.make(lights: lights), stack: MemoryStack(lights: lights))
        running.send(.turn(.off, .all, over: .usual))
        let restarted = try restarted(running)
        report([desk.id: desk.values.turned(.off)], to: restarted)
        let end = outcome(restarted, restarted.send(.undo(1, over: .usual)))
        #expect(restarted.light(desk.id)?.power == .on)
        let failure = Failure.unreachable(other.id.bridge, because: "not reached yet since lightd started")
        #expect(end?.outcome == .failed(.partly([.init(.light(other.id), failure)], of: 2)))
        // Undone as far as possible: it is a step to redo.
        #expect(outcome(restarted, restarted.send(.redo(1, over: .usual)))?.reversal.lights == [desk.id])
    }

    @Test func `the first report after a restart leaves in the journal only what has changed`() throws {
        let running = home()
        running.send(.turn(.off, .light(desk.id), over: .usual))
        let restarted = try restarted(running)
        report(values(running), to: restarted)
        let rereads = restarted.journal.entries.compactMap { entry in
            if case let .lighting(.reread(difference), _) = entry.message { difference } else { nil }
        }
        #expect(rereads.map(\.lights.changed) == [[]] && rereads.map(\.lights.count) == [3])
    }

    @Test func `a light that is gone after a restart is forgotten, and so are those of a bridge`() throws {
        let running = home()
        running.send(.turn(.off, .room(room.id), over: .usual))
        let restarted = try restarted(running)
        #expect(restarted.store.state().unreadLights.count == 3)
        restarted.send(.forget(.sample))
        #expect(restarted.archive.memory.unreadLights.isEmpty && restarted.archive.memory.lights.isEmpty)
        let again = try self.restarted(running)
        again.stack.tell(.home(.sample, lights: [desk], rooms: [], scenes: []))
        again.settle()
        #expect(again.archive.memory.unreadLights.isEmpty && again.archive.memory.lights.count == 1)
    }
}

extension Light.Values {
    fileprivate func turned(_ turn: Turn) -> Self {
        Self(
            power: turn, brightness: brightness, hue: hue, saturation: saturation, temperature: temperature, mode: mode)
    }
}
