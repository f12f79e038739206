public import Khipu
public import Lighting
import Synchronization

/// A clock wound by hand: time passes only in ``advance(by:)``, which runs what is due, in order.
public final class ManualClock: Sendable {
    private struct Wakeup {
        let due: Timestamp
        let call: @DomainActor @Sendable () -> Void
    }

    private let time: Mutex<Timestamp>
    private let elapsed = Mutex(Duration.zero)
    private let wakeups = Mutex<[Wakeup]>([])

    public init(at milliseconds: Int64 = 1_790_000_000_000) {
        time = Mutex(Timestamp(milliseconds: milliseconds))
    }

    public var now: Timestamp { time.withLock { $0 } }

    /// Whether a timer will fire within this time.
    public func isAwaited(within duration: Duration = .seconds(3600)) -> Bool {
        let end = now.advanced(by: duration)
        return wakeups.withLock { $0.contains { $0.due <= end } }
    }

    /// The gateway for the domain.
    public var clock: Clock {
        Clock(
            now: { self.now },
            wake: { duration, call in
                let due = self.now.advanced(by: duration)
                self.wakeups.withLock { $0.append(Wakeup(due: due, call: call)) }
            }
        )
    }

    /// The time that has passed, which does not depend on what the clock shows.
    public var passed: Duration { elapsed.withLock { $0 } }

    /// Sets the time of day, as a person or a time server does; no time passes.
    public func set(to now: Timestamp) { time.withLock { $0 = now } }

    @DomainActor
    public func advance(by duration: Duration) {
        elapsed.withLock { $0 += duration }
        let end = now.advanced(by: duration)
        while let wakeup = takeNext(before: end) {
            time.withLock { $0 = max($0, wakeup.due) }
            wakeup.call()
        }
        time.withLock { $0 = end }
    }

    private func takeNext(before end: Timestamp) -> Wakeup? {
        wakeups.withLock { wakeups in
            guard let next = wakeups.indices.min(by: { wakeups[$0].due < wakeups[$1].due }), wakeups[next].due <= end
            else { return nil }
            return wakeups.remove(at: next)
        }
    }
}
