import Executors

/// How the bridge measures and waits for time. All its waiting goes through this, and all of it is for a moment at which
/// something is due: an idle bridge waits for nothing, which a test with a clock of its own checks.
struct SimulationClock: Sendable {
    /// Real time since the start.
    let elapsed: @Sendable () -> Duration
    /// Waits for this long in real time, or until the task is cancelled.
    let sleep: @Sendable (Duration) async throws -> Void

    /// A clock that starts now.
    static func starting() -> Self {
        let start = ContinuousClock.now
        return Self(elapsed: { ContinuousClock.now - start }, sleep: QueueTimer.sleep)
    }
}

/// Waits until the task is cancelled, without a timer.
func untilCancelled() async throws {
    for await _ in AsyncStream<Never>.makeStream().stream {}
    try Task.checkCancellation()
}
