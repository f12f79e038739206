public import Khipu

/// The gateway to civil time. Tests wind it by hand.
public struct Clock: Sendable {
    public var now: @Sendable () -> Timestamp
    /// How much time has passed since some moment, also while the machine slept, whatever the clock is set to.
    public var passed: @Sendable () -> Duration
    /// Calls back once after this duration, on the domain's executor.
    public var wake: @Sendable (Duration, @escaping @DomainActor @Sendable () -> Void) -> Void
    /// Makes an alarm, not set to any time yet, that calls back on the domain's executor.
    public var alarm: @Sendable (@escaping @DomainActor @Sendable () -> Void) -> Alarm

    public init(
        now: @escaping @Sendable () -> Timestamp,
        passed: @escaping @Sendable () -> Duration,
        wake: @escaping @Sendable (Duration, @escaping @DomainActor @Sendable () -> Void) -> Void,
        alarm: @escaping @Sendable (@escaping @DomainActor @Sendable () -> Void) -> Alarm
    ) {
        self.now = now
        self.passed = passed
        self.wake = wake
        self.alarm = alarm
    }

    /// Always shows this time, and never calls back.
    public static func stopped(at time: Timestamp) -> Self {
        Self(now: { time }, passed: { .zero }, wake: { _, _ in }, alarm: { _ in Alarm { _ in } })
    }
}

/// The clock was set.
public struct ClockStep: Equatable, Sendable {
    /// Forward or, below zero, back.
    let duration: Duration
    /// What it shows now.
    let now: Timestamp

    /// The time by the new clock of what happened by the old one. What is later than the old one showed was timed by
    /// another, before a restart.
    func moved(_ time: Timestamp) -> Timestamp {
        time > now.advanced(by: .zero - duration) ? time : time.advanced(by: duration)
    }
}

/// Finds out by how much the clock was set.
@DomainActor
final class ClockWatch {
    private let clock: Clock
    private var last: (now: Timestamp, passed: Duration)

    /// Less is how clocks are kept right, and what they are read inexactly. What was timed when the clock was so much behind,
    /// and ends when it is so much ahead, ends by twice as much too early: by a second.
    private static let tolerance = Duration.milliseconds(500)

    init(_ clock: Clock) {
        (self.clock, last) = (clock, (clock.now(), clock.passed()))
    }

    /// The time, and how the clock has been set since the last step; `nil` if it was not. Both are of one moment: what
    /// waits must not be moved by one reading, and compared with another. It counts from the last step that was told of,
    /// so that many small ones come to no more than one.
    func look() -> (now: Timestamp, step: ClockStep?) {
        var before: Duration
        var now: Timestamp
        var passed: Duration
        // Again if the thread had to wait in between.
        repeat {
            before = clock.passed()
            now = clock.now()
            passed = clock.passed()
        } while passed - before > Self.tolerance / 4
        let step = now.since(last.now) - (passed - last.passed)
        guard step > Self.tolerance || step < .zero - Self.tolerance else { return (now, nil) }
        last = (now, passed)
        return (now, ClockStep(duration: step, now: now))
    }
}

/// Calls back when the clock shows the time it is set to. It follows the wall clock, where ``Clock/wake`` counts time
/// that passes: it calls back at once if the machine has slept past the time, if the time is already over, and whenever
/// the clock is set, forward or back, because then another time may be the next. The one called looks at the clock and
/// sets the alarm anew; until then it may call back again.
public struct Alarm: Sendable {
    /// Replaces the time that was set before; `nil` stops it.
    public let set: @Sendable (Timestamp?) -> Void

    public init(set: @escaping @Sendable (Timestamp?) -> Void) {
        self.set = set
    }
}

/// What an alarm calls. An alarm is made before what it calls, because that sets it.
@DomainActor
final class AlarmCall {
    var call: @DomainActor @Sendable () -> Void = {}
}
