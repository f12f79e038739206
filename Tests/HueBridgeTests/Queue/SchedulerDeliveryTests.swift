import HueWire
import Lighting
import TestSupport
import Testing

@testable import HueBridge

/// How the scheduler handles answers, and a connection that is lost and restored.
struct SchedulerDeliveryTests {
    private static let lamp: ResourceID = "lamp-0-0"

    /// A scheduler that has just sent this update, and its request.
    private func sent(
        _ update: LightUpdate, _ lights: [ResourceID] = [lamp], deadline: Duration = .seconds(10)
    ) throws -> (scheduler: SchedulerFixture, request: ScheduledRequest) {
        let scheduler = SchedulerFixture(CommandScheduler.Group.home([3]))
        _ = scheduler.ask(update, of: lights, by: 1, deadline: deadline, at: .zero)
        guard case let .send(request) = scheduler.next(at: .zero) else { throw Unsent() }
        return (scheduler, request)
    }

    private struct Unsent: Error {}

    @Test func `a busy bridge gets a pause, twice as long each time, and half the rate afterwards`() throws {
        let (scheduler, first) = try sent(LightUpdate(on: true), deadline: .seconds(100))
        var request = first
        var now = Duration.zero
        var pauses: [Duration] = []
        for _ in 0..<7 {
            #expect(scheduler.answer(request.id, with: .busy(""), chance: 1, at: now).isEmpty)
            let until = scheduler.pausedUntil
            pauses.append(until - now)
            now = until
            // The lower rate may take longer than the pause.
            var step = scheduler.next(at: now)
            if case let .wait(until: opening) = step {
                now = opening
                step = scheduler.next(at: now)
            }
            guard case let .send(again) = step else { throw Unsent() }
            #expect(again.content == request.content)
            request = again
        }
        #expect(pauses == [250, 500, 1000, 2000, 4000, 4000, 4000].map(Duration.milliseconds))
        #expect(scheduler.rate(at: now) < 5)
        _ = scheduler.answer(request.id, with: .done, chance: 1, at: now)
        #expect(scheduler.rate(at: now + .seconds(10)) == 10)
        // The first pause is short again.
        now += .seconds(10)
        _ = scheduler.ask(LightUpdate(on: false), of: [Self.lamp], by: 2, deadline: now + .seconds(10), at: now)
        guard case let .send(next) = scheduler.next(at: now) else { throw Unsent() }
        _ = scheduler.answer(next.id, with: .busy(""), chance: 0, at: now)
        #expect(scheduler.pausedUntil == now + .milliseconds(125))
    }

    @Test func `a key that is refused once is not lost: the request is sent again, and only the second answer counts`()
        throws
    {
        let (scheduler, request) = try sent(LightUpdate(on: true))
        #expect(scheduler.answer(request.id, with: .keyRefused, chance: 0, at: .zero).isEmpty)
        guard case let .send(again) = scheduler.next(at: .seconds(1)) else { throw Unsent() }
        #expect(again.content == request.content)
        let completions = scheduler.answer(again.id, with: .keyRefused, chance: 0, at: .seconds(1))
        let miss = Completion.Miss(light: Self.lamp, reason: .refused("the key is refused"))
        #expect(completions == [Completion(token: 1, result: .failed([miss]))])
    }

    @Test(arguments: [Delivery.busy(""), .faulty(""), .unsent, .unknown])
    func `a key that is refused once is not lost, whatever happened to the request before`(trouble: Delivery) throws {
        let (scheduler, request) = try sent(LightUpdate(on: true))
        #expect(scheduler.answer(request.id, with: trouble, chance: 0, at: .zero).isEmpty)
        guard case let .send(again) = scheduler.next(at: .seconds(2)) else { throw Unsent() }
        #expect(scheduler.answer(again.id, with: .keyRefused, chance: 0, at: .seconds(2)).isEmpty)
    }

    @Test func `of requests that were under way together, all may be refused at once`() throws {
        let (scheduler, request) = try sent(LightUpdate(on: true))
        _ = scheduler.ask(LightUpdate(on: true), of: [ResourceID("other")], by: 2, deadline: .seconds(20), at: .zero)
        guard case let .send(other) = scheduler.next(at: .zero) else { throw Unsent() }
        #expect(scheduler.answer(request.id, with: .keyRefused, chance: 0, at: .seconds(1)).isEmpty)
        #expect(scheduler.answer(other.id, with: .keyRefused, chance: 0, at: .seconds(1)).isEmpty)
        // What is accepted shows that the key is known.
        for time in [Duration.seconds(3), .seconds(6)] {
            guard case let .send(again) = scheduler.next(at: time) else { throw Unsent() }
            #expect(scheduler.answer(again.id, with: .done, chance: 0, at: time).count == 1)
        }
        _ = scheduler.ask(LightUpdate(on: false), of: [Self.lamp], by: 3, deadline: .seconds(20), at: .seconds(9))
        guard case let .send(next) = scheduler.next(at: .seconds(9)) else { throw Unsent() }
        #expect(scheduler.answer(next.id, with: .keyRefused, chance: 0, at: .seconds(9)).isEmpty)
    }

    private static let withdrawn = Completion(
        token: 1, result: .failed([Completion.Miss(light: lamp, reason: .withdrawn)]))

    @Test func `what was sent in vain yields to a person who has changed the lamp since`() throws {
        let (scheduler, request) = try sent(LightUpdate(on: true))
        #expect(scheduler.answer(request.id, with: .unknown, chance: 0, at: .seconds(5)).isEmpty)
        // A newer command is newer than the person, as far as one can know.
        _ = scheduler.ask(LightUpdate(brightness: 40), of: [Self.lamp], by: 2, deadline: .seconds(20), at: .seconds(6))
        // Nobody knows whether it was carried out before.
        #expect(scheduler.yield(Self.lamp) { _ in false } == [Self.withdrawn])
        guard case let .send(next) = scheduler.next(at: .seconds(7)) else { throw Unsent() }
        #expect(next.content == .light(Self.lamp, LightUpdate(brightness: 40)))
    }

    @Test func `a request whose answer is lost is not sent again if a person has changed the lamp meanwhile`() throws {
        let (scheduler, request) = try sent(LightUpdate(on: true))
        #expect(scheduler.yield(Self.lamp) { _ in false }.isEmpty)
        #expect(
            scheduler.answer(request.id, with: .unknown, chance: 0, at: .seconds(5))
                == [Self.withdrawn])
        #expect(scheduler.next(at: .seconds(6)) == .rest)
    }

    @Test func `busy answers to requests that were in flight together count once`() {
        let scheduler = SchedulerFixture()
        let lights: [ResourceID] = ["one", "two", "three"]
        _ = scheduler.ask(LightUpdate(on: true), of: lights, by: 1, deadline: .seconds(9), at: .zero)
        var sent: [UInt64] = []
        while case let .send(request) = scheduler.next(at: .zero) { sent.append(request.id) }
        for id in sent { _ = scheduler.answer(id, with: .busy(""), chance: 1, at: .milliseconds(50)) }
        #expect(scheduler.pausedUntil == .milliseconds(300))
        #expect(scheduler.rate(at: .milliseconds(300)) == 5)
        #expect(scheduler.scheduler.waiting.count == 3)
    }

    @Test func `a refused value is dropped and reported`() throws {
        let (scheduler, request) = try sent(LightUpdate(on: true))
        let completions = scheduler.answer(request.id, with: .refused("no such lamp"), chance: 0, at: .zero)
        let miss = Completion.Miss(light: Self.lamp, reason: .refused("no such lamp"))
        #expect(completions == [Completion(token: 1, result: .failed([miss]))])
        #expect(scheduler.next(at: .zero) == .rest)
    }

    @Test func `after a refused group command its lamps get single commands`() throws {
        let lights: [ResourceID] = ["lamp-0-0", "lamp-0-1", "lamp-0-2"]
        let scheduler = SchedulerFixture([CommandScheduler.Group(groupedLight: "room", members: lights)])
        _ = scheduler.ask(LightUpdate(on: true), of: lights, by: 1, deadline: .seconds(10), at: .zero)
        guard case let .send(request) = scheduler.next(at: .zero) else { throw Unsent() }
        #expect(scheduler.answer(request.id, with: .refused("404"), chance: 0, at: .zero).isEmpty)
        var contents: [ScheduledRequest.Content] = []
        var completions: [Completion] = []
        while case let .send(single) = scheduler.next(at: .seconds(2)) {
            contents.append(single.content)
            completions += scheduler.answer(single.id, with: .done, chance: 0, at: .seconds(2))
        }
        #expect(contents == lights.map { .light($0, LightUpdate(on: true)) })
        #expect(completions == [Completion(token: 1, result: .done)])
    }

    @Test func `only the lamps that the bridge doubts are reported`() throws {
        let (scheduler, request) = try sent(LightUpdate(on: true), ["lamp-0-0", "lamp-0-1", "lamp-0-2"])
        let completions = scheduler.answer(
            request.id, with: .doubted("communication issues", ["lamp-0-1"]), chance: 0, at: .zero)
        let miss = Completion.Miss(light: "lamp-0-1", reason: .doubted("communication issues"))
        #expect(completions == [Completion(token: 1, result: .failed([miss]))])
    }

    @Test func `a newer value replaces one that was not delivered, attribute by attribute`() throws {
        let (scheduler, request) = try sent(LightUpdate(on: true, brightness: 10))
        _ = scheduler.ask(LightUpdate(brightness: 20), of: [Self.lamp], by: 2, deadline: .seconds(10), at: .zero)
        #expect(scheduler.answer(request.id, with: .unknown, chance: 0, at: .zero).isEmpty)
        guard case let .send(again) = scheduler.next(at: .zero) else { throw Unsent() }
        #expect(again.content == .light(Self.lamp, LightUpdate(on: true, brightness: 20)))
        let completions = scheduler.answer(again.id, with: .done, chance: 0, at: .zero)
        #expect(completions.map(\.token).sorted() == [1, 2])
    }

    @Test func `a command that takes too long is reported as late, and its value is still delivered`() throws {
        let (scheduler, request) = try sent(LightUpdate(on: true))
        _ = scheduler.ask(LightUpdate(brightness: 9), of: [Self.lamp], by: 2, deadline: .seconds(3), at: .zero)
        #expect(scheduler.next(at: .zero) == .wait(until: .seconds(3)))
        #expect(scheduler.overdue(at: .seconds(3)) == [Completion(token: 2, result: .late(isSent: false, []))])
        #expect(scheduler.overdue(at: .seconds(10)) == [Completion(token: 1, result: .late(isSent: true, []))])
        #expect(scheduler.answer(request.id, with: .done, chance: 0, at: .seconds(11)).isEmpty)
        guard case let .send(next) = scheduler.next(at: .seconds(11)) else { throw Unsent() }
        #expect(next.content == .light(Self.lamp, LightUpdate(brightness: 9)))
        #expect(scheduler.answer(next.id, with: .done, chance: 0, at: .seconds(12)).isEmpty)
        #expect(scheduler.next(at: .seconds(12)) == .rest)
    }

    @Test func `a read whose caller no longer waits is not sent`() {
        let scheduler = SchedulerFixture()
        scheduler.suspend()
        _ = scheduler.ask(job: 1, cost: .read, touching: [Self.lamp], deadline: .seconds(1), at: .zero)
        #expect(scheduler.overdue(at: .seconds(1)).count == 1)
        _ = scheduler.resume(at: .seconds(2))
        #expect(scheduler.next(at: .seconds(2)) == .rest)
    }

    @Test func `nothing is sent while the connection is lost, and only old commands are dropped when it is back`() {
        let scheduler = SchedulerFixture()
        scheduler.suspend()
        _ = scheduler.ask(LightUpdate(on: true), of: ["old"], by: 1, deadline: .seconds(100), at: .zero)
        _ = scheduler.ask(
            LightUpdate(brightness: 5), of: ["old", "new"], by: 2, deadline: .seconds(100), at: .seconds(20))
        _ = scheduler.ask(job: 3, cost: .group, touching: ["old"], deadline: .seconds(100), at: .seconds(5))
        #expect(scheduler.next(at: .seconds(20)) == .wait(until: .seconds(100)))
        let completions = scheduler.resume(keeping: .seconds(10), at: .seconds(21))
        #expect(
            completions == [
                Completion(token: 1, result: .failed([Completion.Miss(light: "old", reason: .expired)])),
                Completion(token: 3, result: .failed([Completion.Miss(light: nil, reason: .expired)])),
            ])
        var sent: [ScheduledRequest.Content] = []
        while case let .send(request) = scheduler.next(at: .seconds(21)) { sent.append(request.content) }
        #expect(sent == [.light("old", LightUpdate(brightness: 5)), .light("new", LightUpdate(brightness: 5))])
    }

    @Test func `values that are withdrawn are not sent, and newer ones of another command are`() {
        let scheduler = SchedulerFixture()
        _ = scheduler.ask(
            LightUpdate(on: true, brightness: 5), of: [Self.lamp, "other"], by: 1, deadline: .seconds(9), at: .zero)
        _ = scheduler.ask(LightUpdate(brightness: 9), of: ["other"], by: 2, deadline: .seconds(9), at: .zero)
        #expect(scheduler.withdraw(1, from: Self.lamp).isEmpty)
        let misses = [Self.lamp, "other"].map { Completion.Miss(light: $0, reason: .withdrawn) }
        #expect(scheduler.withdraw(1, from: "other") == [Completion(token: 1, result: .failed(misses))])
        guard case let .send(request) = scheduler.next(at: .zero) else { return #expect(Bool(false)) }
        #expect(request.content == .light("other", LightUpdate(brightness: 9)))
        #expect(
            scheduler.answer(request.id, with: .done, chance: 0, at: .zero) == [Completion(token: 2, result: .done)])
    }

    @Test func `a command without values or without lights is done at once`() {
        let scheduler = SchedulerFixture()
        #expect(
            scheduler.ask(LightUpdate(), of: [Self.lamp], by: 1, deadline: .zero, at: .zero).map(\.result) == [.done])
        #expect(
            scheduler.ask(LightUpdate(on: true), of: [], by: 2, deadline: .zero, at: .zero).map(\.result) == [.done])
        #expect(scheduler.next(at: .zero) == .rest)
    }

    @Test func `an answer to an unknown request changes nothing`() {
        let scheduler = SchedulerFixture()
        #expect(scheduler.answer(7, with: .busy(""), chance: 1, at: .zero).isEmpty)
        #expect(scheduler.pausedUntil == .zero && scheduler.rate(at: .zero) == 10)
    }

    @Test func `an error of the bridge is retried a few times, then reported`() throws {
        let (scheduler, first) = try sent(LightUpdate(on: true), deadline: .seconds(100))
        var (request, now, tries) = (first, Duration.zero, 0)
        while true {
            tries += 1
            let completions = scheduler.answer(request.id, with: .faulty("HTTP 500"), chance: 1, at: now)
            if let completion = completions.first {
                #expect(
                    completion.result == .failed([Completion.Miss(light: Self.lamp, reason: .refused("HTTP 500"))]))
                break
            }
            now += .seconds(10)
            guard tries < 10, case let .send(again) = scheduler.next(at: now) else { throw Unsent() }
            request = again
        }
        #expect(tries == 4)
        #expect(scheduler.next(at: now) == .rest)
    }
}
