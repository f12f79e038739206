public import Khipu
public import Lighting
import Synchronization

/// A clock wound by hand: time passes only by ``advance(by:)``, which runs what has come due, in order.
public final class ManualClock: Sendable {
    private struct Alarm {
        let due: Timestamp
        let ring: @DomainActor @Sendable () -> Void
    }

    private let time: Mutex<Timestamp>
    private let alarms = Mutex<[Alarm]>([])

    public init(at milliseconds: Int64 = 1_790_000_000_000) {
        time = Mutex(Timestamp(milliseconds: milliseconds))
    }

    public var now: Timestamp { time.withLock { $0 } }

    /// The gateway as the domain sees it.
    public var clock: Clock {
        Clock(
            now: { self.now },
            wake: { duration, ring in
                let due = self.now.advanced(by: duration)
                self.alarms.withLock { $0.append(Alarm(due: due, ring: ring)) }
            }
        )
    }

    @DomainActor
    public func advance(by duration: Duration) {
        let end = now.advanced(by: duration)
        while let alarm = takeNext(before: end) {
            time.withLock { $0 = max($0, alarm.due) }
            alarm.ring()
        }
        time.withLock { $0 = end }
    }

    private func takeNext(before end: Timestamp) -> Alarm? {
        alarms.withLock { alarms in
            guard let next = alarms.indices.min(by: { alarms[$0].due < alarms[$1].due }), alarms[next].due <= end else {
                return nil
            }
            return alarms.remove(at: next)
        }
    }
}
