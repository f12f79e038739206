public import Khipu

/// The gateway to civil time. Tests wind it by hand.
public struct Clock: Sendable {
    public var now: @Sendable () -> Timestamp
    /// Calls back once after this duration, on the domain's executor.
    public var wake: @Sendable (Duration, @escaping @DomainActor @Sendable () -> Void) -> Void
    /// Makes an alarm, not set to any time yet, that calls back on the domain's executor.
    public var alarm: @Sendable (@escaping @DomainActor @Sendable () -> Void) -> Alarm

    public init(
        now: @escaping @Sendable () -> Timestamp,
        wake: @escaping @Sendable (Duration, @escaping @DomainActor @Sendable () -> Void) -> Void,
        alarm: @escaping @Sendable (@escaping @DomainActor @Sendable () -> Void) -> Alarm
    ) {
        self.now = now
        self.wake = wake
        self.alarm = alarm
    }

    /// Always shows this time, and never calls back.
    public static func stopped(at time: Timestamp) -> Self {
        Self(now: { time }, wake: { _, _ in }, alarm: { _ in Alarm { _ in } })
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
