import Khipu
import Lighting
import LightingTestKit
import Testing

@DomainActor
struct ManualClockTests {
    private let clock = ManualClock(at: 0)
    private let calls = Calls()

    @DomainActor
    private final class Calls {
        var times: [Int64] = []
        nonisolated init() {}
    }

    private func alarm() -> Alarm {
        clock.clock.alarm { [clock, calls] in calls.times.append(clock.now.milliseconds) }
    }

    @Test func `an alarm calls at its time, and only the last time that was set counts`() {
        let alarm = alarm()
        alarm.set(Timestamp(milliseconds: 2000))
        alarm.set(Timestamp(milliseconds: 5000))
        clock.advance(by: .seconds(4))
        #expect(calls.times == [])
        clock.advance(by: .seconds(10))
        #expect(calls.times == [5000])
        alarm.set(Timestamp(milliseconds: 20_000))
        alarm.set(nil)
        clock.advance(by: .seconds(10))
        #expect(calls.times == [5000])
    }

    @Test func `an alarm whose time is over calls at once`() {
        alarm().set(Timestamp(milliseconds: -1))
        clock.advance(by: .zero)
        #expect(calls.times == [0])
    }

    @Test(arguments: [-3_600_000, 3_600_000] as [Int64])
    func `an alarm calls when the clock is set, and a timer does not notice`(target: Int64) {
        alarm().set(Timestamp(milliseconds: 10_000))
        clock.clock.wake(.seconds(5)) { [calls] in calls.times.append(-1) }
        clock.set(to: Timestamp(milliseconds: target))
        #expect(calls.times == [target])
        clock.advance(by: .seconds(4))
        #expect(calls.times == [target])
        clock.advance(by: .seconds(1))
        #expect(calls.times == [target, -1])
    }

    @Test func `timers and alarms call in the order of their times`() {
        clock.clock.wake(.seconds(3)) { [calls, clock] in calls.times.append(clock.now.milliseconds) }
        alarm().set(Timestamp(milliseconds: 2000))
        alarm().set(Timestamp(milliseconds: 4000))
        clock.advance(by: .seconds(60))
        #expect(calls.times == [2000, 3000, 4000])
        #expect(clock.nextAlarm == nil && clock.now.milliseconds == 60_000)
    }
}
