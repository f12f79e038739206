import Dispatch

/// Waits by a timer of a serial queue. `Task.sleep` ends on the default executor, even for a task that runs on another
/// (``RestingExecutor``).
public enum QueueTimer {
    private static let queue = DispatchQueue(label: "timers")
    /// A century: what libdispatch can count in nanoseconds.
    private static let longest = Duration.seconds(3_155_760_000)

    /// Returns after this time; at once if it is not positive.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public static func sleep(for duration: Duration) async throws {
        let (untilDue, due) = AsyncStream<Never>.makeStream()
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { due.finish() }
        timer.schedule(deadline: .now() + .nanoseconds(Int(max(.zero, min(duration, longest)) / .nanoseconds(1))))
        timer.activate()
        for await _ in untilDue {}
        timer.cancel()
        try Task.checkCancellation()
    }
}
