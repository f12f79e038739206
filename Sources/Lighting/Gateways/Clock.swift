public import Khipu

/// Time, handed in.
public struct Clock: Sendable {
    public var now: @Sendable () -> Timestamp
    /// Calls back once after so long, on the domain's executor.
    public var wake: @Sendable (Duration, @escaping @DomainActor @Sendable () -> Void) -> Void

    public init(
        now: @escaping @Sendable () -> Timestamp,
        wake: @escaping @Sendable (Duration, @escaping @DomainActor @Sendable () -> Void) -> Void
    ) {
        self.now = now
        self.wake = wake
    }
}
