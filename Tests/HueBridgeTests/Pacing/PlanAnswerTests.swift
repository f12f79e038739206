import HueWire
import TestSupport
import Testing

@testable import HueBridge

/// What the plan makes of answers, and of a line that comes and goes.
struct PlanAnswerTests {
    private static let lamp: ResourceID = "lamp-0-0"

    /// A plan that has just sent this.
    private func sent(
        _ patch: Patch, _ lights: [ResourceID] = [lamp], deadline: Duration = .seconds(10)
    ) throws -> (plan: PlanDesk, shipment: Shipment) {
        let plan = PlanDesk(Plan.Group.home([3]))
        _ = plan.ask(patch, of: lights, by: 1, deadline: deadline, at: .zero)
        guard case let .send(shipment) = plan.next(at: .zero) else { throw Unsent() }
        return (plan, shipment)
    }

    private struct Unsent: Error {}

    @Test func `an overloaded bridge is left in peace, twice as long each time, and approached gently`() throws {
        let (plan, first) = try sent(Patch(on: true), deadline: .seconds(100))
        var shipment = first
        var now = Duration.zero
        var pauses: [Duration] = []
        for _ in 0..<7 {
            #expect(plan.answer(shipment.id, with: .busy, chance: 1, at: now).isEmpty)
            let until = try #require(plan.figures(at: now).pausedUntil)
            pauses.append(until - now)
            now = until
            // The gentler rate may ask for more than the pause.
            var step = plan.next(at: now)
            if case let .wait(until: opening) = step {
                now = opening
                step = plan.next(at: now)
            }
            guard case let .send(again) = step else { throw Unsent() }
            #expect(again.content == shipment.content)
            #expect(again.returns == shipment.returns + 1)
            shipment = again
        }
        #expect(pauses == [250, 500, 1000, 2000, 4000, 4000, 4000].map(Duration.milliseconds))
        #expect(plan.rate(at: now) < 5)
        _ = plan.answer(shipment.id, with: .done, chance: 1, at: now)
        #expect(plan.rate(at: now + .seconds(10)) == 10)
        // The first pause again.
        now += .seconds(10)
        _ = plan.ask(Patch(on: false), of: [Self.lamp], by: 2, deadline: now + .seconds(10), at: now)
        guard case let .send(next) = plan.next(at: now) else { throw Unsent() }
        _ = plan.answer(next.id, with: .busy, chance: 0, at: now)
        #expect(plan.figures(at: now).pausedUntil == now + .milliseconds(125))
    }

    @Test func `refusals of what was in flight together are one refusal`() {
        let plan = PlanDesk()
        let lights: [ResourceID] = ["one", "two", "three"]
        _ = plan.ask(Patch(on: true), of: lights, by: 1, deadline: .seconds(9), at: .zero)
        var sent: [UInt64] = []
        while case let .send(shipment) = plan.next(at: .zero) { sent.append(shipment.id) }
        for id in sent { _ = plan.answer(id, with: .busy, chance: 1, at: .milliseconds(50)) }
        #expect(plan.figures(at: .milliseconds(50)).pausedUntil == .milliseconds(300))
        #expect(plan.rate(at: .milliseconds(300)) == 5)
        #expect(plan.figures(at: .milliseconds(50)).lights == 3)
    }

    @Test func `a refused value is dropped and told`() throws {
        let (plan, shipment) = try sent(Patch(on: true))
        let settlements = plan.answer(shipment.id, with: .refused("no such lamp"), chance: 0, at: .zero)
        let miss = Settlement.Miss(light: Self.lamp, reason: .refused("no such lamp"))
        #expect(settlements == [Settlement(token: 1, outcome: .failed([miss]))])
        #expect(plan.next(at: .zero) == .rest)
    }

    @Test func `where a group refuses, its lamps are asked one by one, and the group no more`() throws {
        let lights: [ResourceID] = ["lamp-0-0", "lamp-0-1", "lamp-0-2"]
        let plan = PlanDesk([Plan.Group(groupedLight: "room", members: lights)])
        _ = plan.ask(Patch(on: true), of: lights, by: 1, deadline: .seconds(10), at: .zero)
        guard case let .send(shipment) = plan.next(at: .zero) else { throw Unsent() }
        #expect(plan.answer(shipment.id, with: .refused("404"), chance: 0, at: .zero).isEmpty)
        var contents: [Shipment.Content] = []
        var settlements: [Settlement] = []
        while case let .send(single) = plan.next(at: .seconds(2)) {
            contents.append(single.content)
            settlements += plan.answer(single.id, with: .done, chance: 0, at: .seconds(2))
        }
        #expect(contents == lights.map { .light($0, Patch(on: true)) })
        #expect(settlements == [Settlement(token: 1, outcome: .done)])
    }

    @Test func `the lamps that a bridge doubts are told, the others are not`() throws {
        let (plan, shipment) = try sent(Patch(on: true), ["lamp-0-0", "lamp-0-1", "lamp-0-2"])
        let settlements = plan.answer(
            shipment.id, with: .doubted("communication issues", ["lamp-0-1"]), chance: 0, at: .zero)
        let miss = Settlement.Miss(light: "lamp-0-1", reason: .doubted("communication issues"))
        #expect(settlements == [Settlement(token: 1, outcome: .failed([miss]))])
    }

    @Test func `a newer value overtakes one that came back, attribute by attribute`() throws {
        let (plan, shipment) = try sent(Patch(on: true, brightness: 10))
        _ = plan.ask(Patch(brightness: 20), of: [Self.lamp], by: 2, deadline: .seconds(10), at: .zero)
        #expect(plan.answer(shipment.id, with: .unknown, chance: 0, at: .zero).isEmpty)
        guard case let .send(again) = plan.next(at: .zero) else { throw Unsent() }
        #expect(again.content == .light(Self.lamp, Patch(on: true, brightness: 20)))
        let settlements = plan.answer(again.id, with: .done, chance: 0, at: .zero)
        #expect(settlements.map(\.token).sorted() == [1, 2])
    }

    @Test func `who waits too long is told so, and the value is delivered still`() throws {
        let (plan, shipment) = try sent(Patch(on: true))
        _ = plan.ask(Patch(brightness: 9), of: [Self.lamp], by: 2, deadline: .seconds(3), at: .zero)
        #expect(plan.next(at: .zero) == .wait(until: .seconds(3)))
        #expect(plan.overdue(at: .seconds(3)) == [Settlement(token: 2, outcome: .late(isSent: false, []))])
        #expect(plan.overdue(at: .seconds(10)) == [Settlement(token: 1, outcome: .late(isSent: true, []))])
        #expect(plan.answer(shipment.id, with: .done, chance: 0, at: .seconds(11)).isEmpty)
        guard case let .send(next) = plan.next(at: .seconds(11)) else { throw Unsent() }
        #expect(next.content == .light(Self.lamp, Patch(brightness: 9)))
        #expect(plan.answer(next.id, with: .done, chance: 0, at: .seconds(12)).isEmpty)
        #expect(plan.next(at: .seconds(12)) == .rest)
    }

    @Test func `a read that nobody waits for is not sent`() {
        let plan = PlanDesk()
        plan.suspend()
        _ = plan.ask(errand: 1, cost: .read, touching: [Self.lamp], deadline: .seconds(1), at: .zero)
        #expect(plan.overdue(at: .seconds(1)).count == 1)
        _ = plan.resume(at: .seconds(2))
        #expect(plan.next(at: .seconds(2)) == .rest)
    }

    @Test func `while the line is lost nothing is sent, and when it is back nothing is lost but what is too old`() {
        let plan = PlanDesk()
        plan.suspend()
        _ = plan.ask(Patch(on: true), of: ["old"], by: 1, deadline: .seconds(100), at: .zero)
        _ = plan.ask(Patch(brightness: 5), of: ["old", "new"], by: 2, deadline: .seconds(100), at: .seconds(20))
        _ = plan.ask(errand: 3, cost: .group, touching: ["old"], deadline: .seconds(100), at: .seconds(5))
        #expect(plan.next(at: .seconds(20)) == .wait(until: .seconds(100)))
        let settlements = plan.resume(keeping: .seconds(10), at: .seconds(21))
        #expect(
            settlements == [
                Settlement(token: 1, outcome: .failed([Settlement.Miss(light: "old", reason: .expired)])),
                Settlement(token: 3, outcome: .failed([Settlement.Miss(light: nil, reason: .expired)])),
            ])
        var sent: [Shipment.Content] = []
        while case let .send(shipment) = plan.next(at: .seconds(21)) { sent.append(shipment.content) }
        #expect(sent == [.light("old", Patch(brightness: 5)), .light("new", Patch(brightness: 5))])
    }

    @Test func `what waits for a lamp that went is withdrawn`() {
        let plan = PlanDesk()
        _ = plan.ask(Patch(on: true, brightness: 5), of: [Self.lamp, "other"], by: 1, deadline: .seconds(9), at: .zero)
        #expect(plan.withdraw(Self.lamp).isEmpty)
        guard case let .send(shipment) = plan.next(at: .zero) else { return #expect(Bool(false)) }
        #expect(shipment.content == .light("other", Patch(on: true, brightness: 5)))
        let miss = Settlement.Miss(light: Self.lamp, reason: .withdrawn)
        #expect(
            plan.answer(shipment.id, with: .done, chance: 0, at: .zero)
                == [Settlement(token: 1, outcome: .failed([miss]))])
    }

    @Test func `a command of nothing, or to nobody, is done`() {
        let plan = PlanDesk()
        #expect(plan.ask(Patch(), of: [Self.lamp], by: 1, deadline: .zero, at: .zero).map(\.outcome) == [.done])
        #expect(plan.ask(Patch(on: true), of: [], by: 2, deadline: .zero, at: .zero).map(\.outcome) == [.done])
        #expect(plan.next(at: .zero) == .rest)
    }

    @Test func `an answer to nothing changes nothing`() {
        let plan = PlanDesk()
        #expect(plan.answer(7, with: .busy, chance: 1, at: .zero).isEmpty)
        #expect(plan.figures(at: .zero) == Figures())
    }

    @Test func `a fault of the bridge is worth a few tries, and is then its last word`() throws {
        let (plan, first) = try sent(Patch(on: true), deadline: .seconds(100))
        var (shipment, now, tries) = (first, Duration.zero, 0)
        while true {
            tries += 1
            let settlements = plan.answer(shipment.id, with: .faulty("HTTP 500"), chance: 1, at: now)
            if let settlement = settlements.first {
                #expect(
                    settlement.outcome == .failed([Settlement.Miss(light: Self.lamp, reason: .refused("HTTP 500"))]))
                break
            }
            now += .seconds(10)
            guard tries < 10, case let .send(again) = plan.next(at: now) else { throw Unsent() }
            shipment = again
        }
        #expect(tries == 4)
        #expect(plan.next(at: now) == .rest)
    }
}
