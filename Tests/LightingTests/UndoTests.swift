import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

/// Taking commands back, and doing them again.
@DomainActor
struct UndoTests {
    nonisolated private static let lights = [
        Light.make("desk", name: "Desk", brightness: 0.5),
        Light.make("shelf", name: "Shelf", power: .off, brightness: 0.2, modes: [.ct]),
        Light.make("sofa", name: "Sofa", hue: 0.7, saturation: 0.9, mode: .hsb),
        Light.plug("fan", name: "Fan", power: .off),
    ]
    private var desk: Light { Self.lights[0] }
    private let room = Room.make(lights: lights)

    private func home() -> DomainFixture {
        DomainFixture(
            .make(lights: Self.lights, rooms: [room]), stack: MemoryStack(lights: Self.lights, rooms: [room]))
    }

    private func values(_ home: DomainFixture) -> [Light.Values?] { Self.lights.map { home.light($0.id)?.values } }

    private func reversal(_ home: DomainFixture, _ ticket: Ticket) -> Reversal? {
        switch home.response(to: ticket) {
        case let .lighting(.undoing(reversal, .succeeded), _), let .lighting(.redoing(reversal, .succeeded), _):
            reversal
        default: nil
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `undoing so many commands leads back to where they began, and redoing to where they led`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let home = home()
        var states = [values(home)]
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let target: Target = Bool.random(using: &random) ? .room(room.id) : .light(desk.id)
            let value = Double.random(in: 0.05...1, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: home.send(.turn(.on, target, over: .usual))
            case 1: home.send(.turn(.off, target, over: .usual))
            case 2: home.send(.apply(.values(.bri(value)), on: target, over: .usual))
            case 3: home.send(.apply(.values(.ct(Int(153 + value * 300).mirek)), on: target, over: .usual))
            default: home.send(.apply(.values(.hsb(value, 1, value)), on: target, over: .usual))
            }
            states.append(values(home))
        }
        let count = Int.random(in: 1..<states.count, using: &random)
        home.send(.undo(count, over: .usual))
        #expect(same(values(home), states[states.count - 1 - count]))
        if count > 1 {
            home.send(.redo(1, over: .usual))
            #expect(same(values(home), states[states.count - count]))
        }
        home.send(.redo(count, over: .usual))
        #expect(same(values(home), states[states.count - 1]))
        home.send(.undo(states.count - 1, over: .usual))
        #expect(same(values(home), states[0]))
    }

    private func same(_ one: [Light.Values?], _ other: [Light.Values?]) -> Bool {
        zip(one, other).allSatisfy { pair in
            guard let one = pair.0, let other = pair.1 else { return false }
            return one.agrees(with: other)
        }
    }

    @Test func `a light that somebody else has changed since is left as it is, and named`() {
        let home = home()
        home.send(.turn(.off, .room(room.id), over: .usual))
        home.stack.tell(.light(desk.id, Light.Report(power: .on, brightness: 0.9, source: .wall("Dimmer"))))
        home.settle()
        let reversal = reversal(home, home.send(.undo(1, over: .usual)))
        #expect(reversal?.skipped.map(\.light) == [desk.id])
        #expect(reversal?.skipped.first?.cause.kind == .wall("Dimmer"))
        #expect(home.light(desk.id)?.brightness == 0.9)
        #expect(home.light(Self.lights[2].id)?.power == .on)
    }

    @Test func `what somebody else did between two commands is where undoing both of them ends`() {
        let home = home()
        home.send(.apply(.values(.bri(0.1)), on: .light(desk.id), over: .usual))
        home.stack.tell(.light(desk.id, Light.Report(brightness: 0.9)))
        home.settle()
        home.send(.apply(.values(.bri(0.3)), on: .light(desk.id), over: .usual))
        let reversal = reversal(home, home.send(.undo(2, over: .usual)))
        #expect(home.light(desk.id)?.brightness == 0.9)
        #expect(reversal?.skipped.map(\.light) == [desk.id])
    }

    @Test func `a new command ends what could be redone`() {
        let home = home()
        home.send(.turn(.off, .light(desk.id), over: .usual))
        home.send(.undo(1, over: .usual))
        home.send(.apply(.values(.bri(0.3)), on: .light(desk.id), over: .usual))
        #expect(home.response(to: home.send(.redo(1, over: .usual)))?.outcome == .failed(.nothingToReverse("redo")))
    }

    @Test func `where there is nothing to undo, it says so and sends nothing`() {
        let home = home()
        #expect(home.response(to: home.send(.undo(1, over: .usual)))?.outcome == .failed(.nothingToReverse("undo")))
        #expect(home.stack.requests.isEmpty)
    }

    @Test func `a slider that is dragged is undone as a whole, and single commands one by one`() {
        let home = home()
        home.stack.hold()
        for level in 1...30 {
            home.send(.apply(.values(.bri(Double(level) / 100)), on: .light(desk.id), over: .usual))
        }
        home.stack.release()
        home.settle()
        home.send(.apply(.values(.bri(0.8)), on: .light(desk.id), over: .usual))
        home.send(.undo(1, over: .usual))
        #expect(home.light(desk.id)?.brightness == 0.3)
        home.send(.undo(1, over: .usual))
        #expect(home.light(desk.id)?.brightness == 0.5)
    }

    @Test func `an undo that the bridge refuses can be tried again`() {
        let home = home()
        home.send(.turn(.off, .light(desk.id), over: .usual))
        home.stack.end(with: .failed(.refused(by: .sample, words: "no")))
        home.send(.undo(1, over: .usual))
        #expect(home.light(desk.id)?.power == .off)
        home.stack.end(with: .succeeded)
        home.send(.undo(1, over: .usual))
        #expect(home.light(desk.id)?.power == .on)
    }

    @Test func `so many commands are remembered, and no more`() {
        let home = home()
        for level in 0..<300 {
            home.send(.apply(.values(.bri(Double(level % 100) / 100)), on: .light(desk.id), over: .usual))
        }
        #expect(home.store.state().history.steps.count == History.longest)
    }
}

/// Who or what set a light to what it is.
@DomainActor
struct CauseTests {
    private let desk = Light.make("desk", name: "Desk", power: .off)

    private func home() -> DomainFixture {
        DomainFixture(.make(lights: [desk]), stack: MemoryStack(lights: [desk]))
    }

    @Test func `a command that its lamp confirmed is the cause, with who asked and when`() {
        let home = home()
        let ticket = home.send("lightctl (uid 1000)") {
            .lighting(.turn(.on, .light(desk.id), over: .usual), ticket: $0)
        }
        #expect(home.light(desk.id)?.cause == Cause(.command(ticket), at: ticket.time))
    }

    @Test func `a command that changed nothing is no cause`() {
        let home = home()
        home.send(.turn(.off, .light(desk.id), over: .usual))
        #expect(home.light(desk.id)?.cause == desk.cause)
    }

    @Test(arguments: [.wall("Dimmer"), .power, .scene(Scene.make().id, by: nil), nil] as [Cause.Kind?])
    func `what a bridge tells has the cause that it names, or came from elsewhere`(kind: Cause.Kind?) {
        let home = home()
        home.stack.tell(.light(desk.id, Light.Report(power: .on, source: kind)))
        home.settle()
        #expect(home.light(desk.id)?.cause == Cause(kind ?? .elsewhere, at: home.clock.now))
        let cause = home.light(desk.id)?.cause
        home.wait(.seconds(5))
        home.stack.tell(.light(desk.id, Light.Report(power: .on)))
        home.settle()
        #expect(home.light(desk.id)?.cause == cause, "the same told again has no new cause")
    }

    @Test func `a recalled scene is the cause of what its lights show, and names who recalled it`() {
        let scene = Scene(id: Scene.make().id, name: "Relax", lights: [desk.id])
        let home = DomainFixture(
            .make(lights: [desk], scenes: [scene]), stack: MemoryStack(lights: [desk], scenes: [scene]))
        let ticket = home.send(.recall(scene.id, over: .usual))
        #expect(home.light(desk.id)?.cause == Cause(.scene(scene.id, by: ticket), at: ticket.time))
    }
}

/// When all that a command wished for has come to an end, it is told.
@DomainActor
struct SettlementTests {
    private let desk = Light.make("desk", name: "Desk", power: .off)

    private func settlement(_ home: DomainFixture, _ ticket: Ticket) -> Outcome? {
        home.recorder.heard.lazy.compactMap { message in
            guard case let .lighting(.settled(outcome), ticket: other) = message, other == ticket else { return nil }
            return outcome
        }.first
    }

    @Test func `after the answer, and not before the lamp has confirmed it`() {
        let home = DomainFixture(.make(lights: [desk]), stack: MemoryStack(lights: [desk]))
        home.stack.echo(false)
        let ticket = home.send(.turn(.on, .light(desk.id), over: .usual))
        #expect(home.response(to: ticket)?.outcome == .succeeded)
        #expect(settlement(home, ticket) == nil)
        home.stack.tell(.light(desk.id, Light.Report(power: .on)))
        home.settle()
        #expect(settlement(home, ticket) == .succeeded)
    }

    @Test func `a wish that nobody confirms is settled as unconfirmed, once`() {
        let home = DomainFixture(.make(lights: [desk]), stack: MemoryStack(lights: [desk]))
        home.stack.echo(false)
        let ticket = home.send(.turn(.on, .light(desk.id), over: .usual))
        home.wait(ExpectationTracker.timeout + .seconds(1))
        guard case .failed(.unconfirmed)? = settlement(home, ticket) else {
            Issue.record("settled as \(String(describing: settlement(home, ticket)))")
            return
        }
        #expect(home.recorder.heard.count { $0.ticket == ticket } == 3)
        #expect(home.light(desk.id) == desk)
    }

    @Test func `a wish that a newer one overtakes is settled by it`() {
        let home = DomainFixture(.make(lights: [desk]), stack: MemoryStack(lights: [desk]))
        home.stack.echo(false)
        let first = home.send(.turn(.on, .light(desk.id), over: .usual))
        home.send(.apply(.values(.bri(0.7)), on: .light(desk.id), over: .usual))
        home.stack.tell(.light(desk.id, Light.Report(power: .on, brightness: 0.7)))
        home.settle()
        #expect(settlement(home, first) == .succeeded)
    }

    @Test func `what was so already is settled at once`() {
        let home = DomainFixture(.make(lights: [desk]), stack: MemoryStack(lights: [desk]))
        home.stack.echo(false)
        #expect(settlement(home, home.send(.turn(.off, .light(desk.id), over: .usual))) == .succeeded)
    }
}
