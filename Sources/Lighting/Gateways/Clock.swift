public import Khipu

/// The gateway to civil time. Tests wind it by hand.
public struct Clock: Sendable {
    public var now: @Sendable () -> Timestamp
    /// Calls back once after this duration, on the domain's executor.
    public var wake: @Sendable (Duration, @escaping @DomainActor @Sendable () -> Void) -> Void

    public init(
        now: @escaping @Sendable () -> Timestamp,
        wake: @escaping @Sendable (Duration, @escaping @DomainActor @Sendable () -> Void) -> Void
    ) {
        self.now = now
        self.wake = wake
    }
}
