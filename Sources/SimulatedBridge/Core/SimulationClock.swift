import Dispatch

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
        let queue = DispatchQueue(label: "simulation clock")
        return Self(elapsed: { ContinuousClock.now - start }) { time in
            // Not `Task.sleep`: it ends on the default executor, even for a task that runs on another.
            let (untilDue, due) = AsyncStream<Never>.makeStream()
            queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: Int64(time / .nanoseconds(1))))) {
                due.finish()
            }
            for await _ in untilDue {}
            try Task.checkCancellation()
        }
    }
}

/// Waits until the task is cancelled, without a timer.
func untilCancelled() async throws {
    for await _ in AsyncStream<Never>.makeStream().stream {}
    try Task.checkCancellation()
}
