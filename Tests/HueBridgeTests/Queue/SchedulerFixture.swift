import HueWire

@testable import HueBridge

/// A scheduler that can be used inside an expectation, which allows no mutating calls.
final class SchedulerFixture {
    var scheduler: CommandScheduler

    init(_ layout: [CommandScheduler.Group] = [], _ scheduler: CommandScheduler = CommandScheduler()) {
        self.scheduler = scheduler
        self.scheduler.arrange(layout)
    }

    func ask(
        _ update: LightUpdate, of lights: [ResourceID], by token: UInt64, deadline: Duration, at now: Duration
    ) -> [Completion] {
        scheduler.ask(update, of: lights, by: token, deadline: deadline, at: now)
    }

    func askAgain(
        _ update: LightUpdate, of light: ResourceID, by token: UInt64, deadline: Duration, at now: Duration
    ) -> [Completion] {
        scheduler.askAgain(update, of: light, by: token, deadline: deadline, at: now)
    }

    func ask(
        job: UInt64, cost: Job.Cost, touching lights: [ResourceID] = [], deadline: Duration, at now: Duration
    ) -> [Completion] {
        scheduler.ask(job: job, cost: cost, touching: lights, deadline: deadline, at: now)
    }

    func next(at now: Duration) -> CommandScheduler.Step { scheduler.next(at: now) }

    func answer(_ id: UInt64, with delivery: Delivery, chance: Double, at now: Duration) -> [Completion] {
        scheduler.answer(id, with: delivery, chance: chance, at: now)
    }

    func overdue(at now: Duration) -> [Completion] { scheduler.overdue(at: now) }
    func suspend() { scheduler.suspend() }

    func resume(keeping keep: Duration? = nil, at now: Duration) -> [Completion] {
        scheduler.resume(keeping: keep, at: now)
    }

    func withdraw(_ token: UInt64, from light: ResourceID) -> [Completion] {
        scheduler.withdraw(token, from: light)
    }

    func yield(_ light: ResourceID, where isOlder: (PendingOrigin) -> Bool) -> [Completion] {
        scheduler.yield(light, where: isOlder)
    }

    var pausedUntil: Duration { scheduler.recovery.pausedUntil }
    func rate(at now: Duration) -> Int { scheduler.recovery.rate(at: now) }
}
