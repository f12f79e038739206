import Khipu
import Lighting
import LightingTestKit
import Testing

/// How commands are settled after their response.
@DomainActor
struct SettlementTests {
    private let desk = Light.make("desk", name: "Desk", power: .off)

    private func settlement(_ home: DomainFixture, _ ticket: Ticket) -> Outcome? {
        home.recorder.messages.lazy.compactMap { message in
            guard case let .lighting(.settled(outcome), ticket: other) = message, other == ticket else { return nil }
            return outcome
        }.first
    }

    @Test func `a command is settled once the lamp has confirmed it`() {
        let home = DomainFixture(.make(lights: [desk]), stack: MemoryStack(lights: [desk]))
        home.stack.echo(false)
        let ticket = home.send(.turn(.on, .light(desk.id), over: .usual))
        #expect(home.response(to: ticket)?.outcome == .succeeded)
        #expect(settlement(home, ticket) == nil)
        home.stack.tell(.light(desk.id, Light.Report(power: .on)))
        home.settle()
        #expect(settlement(home, ticket) == .succeeded)
    }

    @Test func `a command that is never confirmed is settled once, as unconfirmed`() {
        let home = DomainFixture(.make(lights: [desk]), stack: MemoryStack(lights: [desk]))
        home.stack.echo(false)
        let ticket = home.send(.turn(.on, .light(desk.id), over: .usual))
        home.wait(Freshness.confirmationTimeout + .seconds(1))
        guard case .failed(.unconfirmed)? = settlement(home, ticket) else {
            Issue.record("settled as \(String(describing: settlement(home, ticket)))")
            return
        }
        #expect(home.recorder.messages.count { $0.ticket == ticket } == 3)
        #expect(home.light(desk.id) == desk)
    }

    /// A lamp without power takes nothing from the others of its room: what they were sent counts for steps and for undo.
    @Test func `where a command failed it is given up, and expected of the others`() {
        let (desk, sofa) = (Light.make("desk", brightness: 0.3), Light.make("sofa", name: "Sofa", brightness: 0.3))
        let room = Room.make(lights: [desk, sofa])
        let home = DomainFixture(
            .make(lights: [desk, sofa], rooms: [room]), stack: MemoryStack(lights: [desk, sofa], rooms: [room]))
        home.stack.echo(false)
        let refusal = Failure.Part(.light(sofa.id), .refused(by: .sample, words: "no"))
        home.stack.end(with: .failed(.partly([refusal], of: 2)))
        for _ in 0..<2 { home.send(.increase(.brightness, by: .pt(10), on: .room(room.id), over: .usual)) }
        #expect(abs((home.light(desk.id)?.brightness ?? 0) - 0.5) < 1e-9)
        #expect(home.light(sofa.id)?.brightness == 0.3)
        home.stack.end(with: .succeeded)
        let undo = home.send(.undo(1, over: .usual))
        guard case let .lighting(.undoing(reversal, _), _)? = home.response(to: undo) else {
            Issue.record("not answered")
            return
        }
        #expect(reversal.lights.contains(desk.id))
        home.wait(Freshness.confirmationTimeout + .seconds(1))
        #expect(home.light(desk.id)?.freshness != .expected(by: undo))
        #expect(home.light(desk.id)?.brightness == 0.3)
    }

    @Test func `what failed at one lamp is settled when the others have confirmed it`() {
        let sofa = Light.make("sofa", name: "Sofa", power: .off)
        let home = DomainFixture(.make(lights: [desk, sofa]), stack: MemoryStack(lights: [desk, sofa]))
        home.stack.echo(false)
        let refusal = Failure.Part(.light(sofa.id), .refused(by: .sample, words: "no"))
        home.stack.end(with: .failed(.partly([refusal], of: 2)))
        let ticket = home.send(.turn(.on, .all, over: .usual))
        #expect(home.response(to: ticket)?.outcome == .failed(.partly([refusal], of: 2)))
        #expect(settlement(home, ticket) == nil)
        home.stack.tell(.light(desk.id, Light.Report(power: .on)))
        home.settle()
        #expect(settlement(home, ticket) == .succeeded)
    }

    @Test func `what failed at one lamp and is not confirmed by the others is settled with both`() {
        let sofa = Light.make("sofa", name: "Sofa", power: .off)
        let home = DomainFixture(.make(lights: [desk, sofa]), stack: MemoryStack(lights: [desk, sofa]))
        home.stack.echo(false)
        let refusal = Failure.Part(.light(sofa.id), .refused(by: .sample, words: "no"))
        home.stack.end(with: .failed(.partly([refusal], of: 2)))
        let ticket = home.send(.turn(.on, .all, over: .usual))
        home.wait(Freshness.confirmationTimeout + .seconds(1))
        guard case let .failed(.partly(parts, of: 2))? = settlement(home, ticket) else {
            Issue.record("settled as \(String(describing: settlement(home, ticket)))")
            return
        }
        #expect(parts.map(\.target) == [.light(desk.id), .light(sofa.id)] && parts[1] == refusal)
        if case .unconfirmed = parts[0].failure {} else { Issue.record("\(parts[0])") }
    }

    @Test func `a command that failed as a whole is answered, and nothing more comes of it`() {
        let home = DomainFixture(.make(lights: [desk]), stack: MemoryStack(lights: [desk]))
        home.stack.end(with: .failed(.refused(by: .sample, words: "no")))
        let ticket = home.send(.turn(.on, .light(desk.id), over: .usual))
        home.wait(Freshness.confirmationTimeout + .seconds(1))
        #expect(settlement(home, ticket) == nil)
    }

    @Test func `a command that a newer one overtakes succeeds when that is confirmed`() {
        let home = DomainFixture(.make(lights: [desk]), stack: MemoryStack(lights: [desk]))
        home.stack.echo(false)
        let first = home.send(.turn(.on, .light(desk.id), over: .usual))
        home.send(.apply(.values(.bri(0.7)), on: .light(desk.id), over: .usual))
        home.stack.tell(.light(desk.id, Light.Report(power: .on, brightness: 0.7)))
        home.settle()
        #expect(settlement(home, first) == .succeeded)
    }

    @Test func `a command for what is already shown is settled at once`() {
        let home = DomainFixture(.make(lights: [desk]), stack: MemoryStack(lights: [desk]))
        home.stack.echo(false)
        #expect(settlement(home, home.send(.turn(.off, .light(desk.id), over: .usual))) == .succeeded)
    }

    @Test func `a command that was delivered after the bridge was lost and back is settled by the lamp, not at once`() {
        let home = DomainFixture(.make(lights: [desk]), stack: MemoryStack(lights: [desk]))
        home.stack.echo(false)
        home.stack.hold()
        let ticket = home.send(.turn(.on, .light(desk.id), over: .usual))
        home.store.change(
            by: .updating(.light(desk.id, by: [.losing(.contact(at: .sample))])),
            .updating(.light(desk.id, by: [.reporting(.it(Light.Report(power: .off), at: .sample))])))
        home.stack.release()
        home.settle()
        #expect(home.response(to: ticket)?.outcome == .succeeded)
        #expect(settlement(home, ticket) == nil)
        home.stack.tell(.light(desk.id, Light.Report(power: .on)))
        home.settle()
        #expect(settlement(home, ticket) == .succeeded)
    }

    @Test func `a scene is shown as reported, though an older command's values were not confirmed`() {
        let sofa = Light.make("sofa", name: "Sofa", brightness: 0.9)
        let scene = Scene.make(lights: [sofa.id])
        let home = DomainFixture(.make(lights: [sofa], scenes: [scene]), stack: MemoryStack(lights: [sofa]))
        home.stack.echo(false)
        let off = home.send(.turn(.off, .light(sofa.id), over: .usual))
        let recall = home.send(.recall(scene.id, over: .usual))
        // That it was off in between is not reported.
        let report = Light.Report(power: .on, brightness: 0.3, source: .scene(scene.id, by: recall))
        home.stack.tell(.light(sofa.id, report))
        home.settle()
        let shown = home.light(sofa.id)
        #expect(shown?.power == .on && shown?.brightness == 0.3 && shown?.freshness == .confirmed(at: home.clock.now))
        #expect(settlement(home, off) == .succeeded)
        home.send(.toggle(.light(sofa.id), over: .usual))
        #expect(home.stack.requests.last == .set([DesiredState(sofa.id, power: .off)], .usual))
    }

    @Test func `after a scene, only what is sent later is expected`() {
        let sofa = Light.make("sofa", name: "Sofa", brightness: 0.9)
        let scene = Scene.make(lights: [sofa.id])
        let home = DomainFixture(.make(lights: [sofa], scenes: [scene]), stack: MemoryStack(lights: [sofa]))
        home.stack.echo(false)
        home.send(.apply(.values(.bri(0.2)), on: .light(sofa.id), over: .usual))
        home.send(.recall(scene.id, over: .usual))
        let off = home.send(.turn(.off, .light(sofa.id), over: .usual))
        home.stack.tell(.light(sofa.id, Light.Report(power: .on, brightness: 0.3)))
        home.settle()
        let shown = home.light(sofa.id)
        #expect(shown?.power == .off && shown?.brightness == 0.3 && shown?.freshness == .expected(by: off))
    }

    // MARK: - Lamps out of reach

    private func lost(_ id: String, _ name: String) -> Light {
        Light.make(id, name: name, power: .off).alter(
            by: .reporting(.it(Light.Report(reachable: false), at: .sample)))
    }

    @Test func `a lamp out of reach is named as soon as the others have confirmed, though the bridge reported success`()
    {
        let sofa = lost("sofa", "Sofa")
        let home = DomainFixture(.make(lights: [desk, sofa]), stack: MemoryStack(lights: [desk, sofa]))
        home.stack.echo(false)
        let ticket = home.send(.turn(.on, .all, over: .usual))
        #expect(home.response(to: ticket)?.outcome == .succeeded)
        #expect(settlement(home, ticket) == nil)
        home.stack.tell(.light(desk.id, Light.Report(power: .on)))
        home.settle()
        let failure = Failure.unconfirmed(by: sofa.id.bridge, words: "the lamp is out of reach")
        #expect(settlement(home, ticket) == .failed(.partly([Failure.Part(.light(sofa.id), failure)], of: 2)))
    }

    @Test func `if every lamp of a command is out of reach, it fails as a whole and names them`() {
        let lamps = [lost("sofa", "Sofa"), lost("fan", "Fan")]
        let home = DomainFixture(.make(lights: lamps), stack: MemoryStack(lights: lamps))
        home.stack.echo(false)
        // Off is what the bridge last reported: that confirms nothing now.
        let ticket = home.send(.turn(.off, .all, over: .usual))
        guard case let .failed(.unconfirmed(by: _, words: words))? = settlement(home, ticket) else {
            Issue.record("settled as \(String(describing: settlement(home, ticket)))")
            return
        }
        #expect(
            words.text.hasPrefix("out of reach: ") && words.text.contains("'Sofa'") && words.text.contains("'Fan'"),
            "\(words)")
    }

    @Test func `a scene with a lamp out of reach is unconfirmed for that lamp`() {
        let sofa = lost("sofa", "Sofa")
        let scene = Scene.make(lights: [desk.id, sofa.id])
        let home = DomainFixture(
            .make(lights: [desk, sofa], scenes: [scene]), stack: MemoryStack(lights: [desk, sofa]))
        let ticket = home.send(.recall(scene.id, over: .usual))
        #expect(home.response(to: ticket)?.outcome == .succeeded)
        let failure = Failure.unconfirmed(by: sofa.id.bridge, words: "the lamp is out of reach")
        #expect(settlement(home, ticket) == .failed(.partly([Failure.Part(.light(sofa.id), failure)], of: 2)))
    }

    @Test func `a lamp that is found to be out of reach while a command waits ends the wait`() {
        let home = DomainFixture(.make(lights: [desk]), stack: MemoryStack(lights: [desk]))
        home.stack.echo(false)
        let ticket = home.send(.turn(.on, .light(desk.id), over: .usual))
        home.stack.tell(.light(desk.id, Light.Report(reachable: false)))
        home.settle()
        #expect(
            settlement(home, ticket)
                == .failed(.unconfirmed(by: desk.id.bridge, words: "out of reach: 'Desk'")))
    }
}
