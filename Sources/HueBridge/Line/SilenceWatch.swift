import Synchronization

/// When a line was last heard.
final class SilenceWatch: Sendable {
    private let last = Mutex(ContinuousClock.now)

    func heard() { last.withLock { $0 = .now } }

    /// How long ago that was.
    var silence: Duration { last.withLock { ContinuousClock.now - $0 } }
}
