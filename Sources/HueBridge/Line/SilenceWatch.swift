import Synchronization

/// When a line was last heard.
final class SilenceWatch: Sendable {
    private let last = Mutex(ContinuousClock.now)

    func heard() { last.withLock { $0 = .now } }

    /// How much of a span of silence is left.
    func left(of span: Duration) -> Duration { span - last.withLock { ContinuousClock.now - $0 } }
}
