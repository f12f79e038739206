import Synchronization
import TestSupport

/// Replaces `Task.sleep`: records each duration, and returns when the test calls ``wake(_:)``.
final class SleepFixture: Sendable {
    private let recorded = Mutex<[Duration]>([])
    private let wakeups: AsyncStream<Void>
    private let wakeup: AsyncStream<Void>.Continuation

    init() { (wakeups, wakeup) = AsyncStream.makeStream() }

    @Sendable func sleep(_ duration: Duration) async throws {
        recorded.withLock { $0.append(duration) }
        for await _ in wakeups { return }
        throw CancellationError()
    }

    /// The durations so far.
    var durations: [Duration] { recorded.withLock(\.self) }

    /// Waits until the code under test sleeps for the `count`th time, then ends that sleep.
    func wake(_ count: Int) async throws {
        try await until("the code under test sleeps") { self.durations.count == count }
        wakeup.yield()
    }
}
