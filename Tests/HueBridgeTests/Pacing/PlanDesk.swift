import HueWire

@testable import HueBridge

/// A plan that may be asked inside an expectation, which takes no mutating calls.
final class PlanDesk {
    var plan: Plan

    init(_ layout: [Plan.Group] = [], _ plan: Plan = Plan()) {
        self.plan = plan
        self.plan.arrange(layout)
    }

    func ask(
        _ patch: Patch, of lights: [ResourceID], by token: UInt64, deadline: Duration, at now: Duration
    ) -> [Settlement] {
        plan.ask(patch, of: lights, by: token, deadline: deadline, at: now)
    }

    func askAgain(
        _ patch: Patch, of light: ResourceID, by token: UInt64, deadline: Duration, at now: Duration
    ) -> [Settlement] {
        plan.askAgain(patch, of: light, by: token, deadline: deadline, at: now)
    }

    func ask(
        errand: UInt64, cost: Errand.Cost, touching lights: [ResourceID] = [], deadline: Duration, at now: Duration
    ) -> [Settlement] {
        plan.ask(errand: errand, cost: cost, touching: lights, deadline: deadline, at: now)
    }

    func next(at now: Duration) -> Plan.Step { plan.next(at: now) }

    func answer(_ id: UInt64, with fate: Fate, chance: Double, at now: Duration) -> [Settlement] {
        plan.answer(id, with: fate, chance: chance, at: now)
    }

    func overdue(at now: Duration) -> [Settlement] { plan.overdue(at: now) }
    func suspend() { plan.suspend() }

    func resume(keeping keep: Duration? = nil, at now: Duration) -> [Settlement] {
        plan.resume(keeping: keep, at: now)
    }

    func withdraw(_ light: ResourceID) -> [Settlement] { plan.withdraw(light) }
    func figures(at now: Duration) -> Figures { plan.figures(at: now) }
    func rate(at now: Duration) -> Int { plan.recovery.rate(at: now) }
}
