public import Lighting

extension Clock {
    /// Waits this long, or until the task is cancelled.
    public func sleep(for duration: Duration) async {
        let (time, timer) = AsyncStream<Void>.makeStream()
        wake(duration) { timer.finish() }
        for await _ in time {}
    }
}
