import Synchronization

/// When a line was last heard.
final class SilenceDetector: Sendable {
    private let last = Mutex(ContinuousClock.now)

    func heard() { last.withLock { $0 = .now } }

    func hasHeard(since moment: ContinuousClock.Instant) -> Bool { last.withLock { $0 > moment } }

    /// How long ago that was.
    var silence: Duration { last.withLock { ContinuousClock.now - $0 } }
}
