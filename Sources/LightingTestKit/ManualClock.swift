public import Khipu
public import Lighting
import Synchronization

/// A clock wound by hand: time passes only in ``advance(by:)``, which runs what is due, in order.
public final class ManualClock: Sendable {
    fileprivate struct Wakeup {
        /// The time that has ``passed`` when it is due.
        let due: Duration
        let call: @DomainActor @Sendable () -> Void
    }

    fileprivate struct SetAlarm {
        let due: Timestamp
        let call: @DomainActor @Sendable () -> Void
    }

    fileprivate struct State {
        var now: Timestamp
        var passed = Duration.zero
        var wakeups: [Wakeup] = []
        var alarms: [Int: SetAlarm] = [:]
        var alarmCount = 0
    }

    private let state: Mutex<State>

    public init(at milliseconds: Int64 = 1_790_000_000_000) {
        state = Mutex(State(now: Timestamp(milliseconds: milliseconds)))
    }

    public var now: Timestamp { state.withLock(\.now) }

    /// Whether a timer will fire within this time.
    public func isAwaited(within duration: Duration = .seconds(3600)) -> Bool {
        state.withLock { state in state.wakeups.contains { $0.due <= state.passed + duration } }
    }

    /// The earliest time that an alarm is set to.
    public var nextAlarm: Timestamp? {
        state.withLock { $0.alarms.values.map(\.due).min() }
    }

    /// The gateway for the domain.
    public var clock: Clock {
        Clock(
            now: { self.now },
            passed: { self.passed },
            wake: { duration, call in
                self.state.withLock { $0.wakeups.append(Wakeup(due: $0.passed + duration, call: call)) }
            },
            alarm: { call in
                let number = self.state.withLock { state in
                    state.alarmCount += 1
                    return state.alarmCount
                }
                return Alarm { time in
                    self.state.withLock { $0.alarms[number] = time.map { SetAlarm(due: $0, call: call) } }
                }
            }
        )
    }

    /// The time that has passed, which does not depend on what the clock shows.
    public var passed: Duration { state.withLock(\.passed) }

    /// Sets the time of day, as a person or a time server does; no time passes. Alarms call back, as they do whenever the
    /// clock is set.
    @DomainActor
    public func set(to now: Timestamp) { ring { $0.now = now } }

    /// Time passes in which the machine does nothing. When it wakes up, alarms call back once.
    @DomainActor
    public func sleep(for duration: Duration) { ring { $0.pass(until: $0.passed + duration) } }

    @DomainActor
    private func ring(after change: @Sendable (inout State) -> Void) {
        let alarms = state.withLock { state in
            change(&state)
            defer { state.alarms = [:] }
            return state.alarms.sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
        }
        for (_, alarm) in alarms { alarm.call() }
    }

    @DomainActor
    public func advance(by duration: Duration) {
        let end = passed + duration
        while let call = takeNext(through: end) { call() }
        state.withLock { $0.pass(until: end) }
    }

    /// Winds the clock to the next that is due.
    private func takeNext(through end: Duration) -> (@DomainActor @Sendable () -> Void)? {
        state.withLock { state in
            let wakeup = state.wakeups.indices.min { state.wakeups[$0].due < state.wakeups[$1].due }
            let alarm = state.alarms.min { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
            let wakeupDue = wakeup.map { state.wakeups[$0].due } ?? .seconds(Int64.max)
            let alarmDue = alarm.map { state.passed + max($0.value.due.since(state.now), .zero) } ?? .seconds(Int64.max)
            guard min(wakeupDue, alarmDue) <= end else { return nil }
            state.pass(until: min(wakeupDue, alarmDue))
            if let wakeup, wakeupDue <= alarmDue { return state.wakeups.remove(at: wakeup).call }
            return alarm.flatMap { state.alarms.removeValue(forKey: $0.key)?.call }
        }
    }
}

extension ManualClock.State {
    fileprivate mutating func pass(until end: Duration) {
        guard end > passed else { return }
        now = now.advanced(by: end - passed)
        passed = end
    }
}
