public import Khipu

/// Time, handed in.
public struct Clock: Sendable {
    public var now: @Sendable () -> Timestamp
    /// Calls back once after so long, from any thread.
    public var wake: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

    public init(
        now: @escaping @Sendable () -> Timestamp,
        wake: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    ) {
        self.now = now
        self.wake = wake
    }
}
