import Executors
import FoundationEssentials
import Khipu
import Lighting
import ServiceLifecycle
import Synchronization

/// The domain's clock on the system's: gives the time of day, and runs delayed work as child tasks of this service.
struct SystemClock: Service {
    private struct Timer: Sendable {
        let delay: Duration
        let fire: @DomainActor @Sendable () -> Void
    }

    private let timers: AsyncStream<Timer>
    private let newTimer: AsyncStream<Timer>.Continuation
    private let lapse: RunningLapse?
    /// What the alarms call, until the service ends. Nothing else keeps it: what is called holds the alarms.
    private let calls = Live<[@DomainActor @Sendable () -> Void]>([])
    private let civilTime: Clock?

    /// - Parameters:
    ///   - lapse: for civil time that runs faster.
    ///   - civilTime: a clock that gives the time of day and its alarms in the place of the system's.
    init(_ lapse: Configuration.TimeLapse? = nil, civilTime: Clock? = nil) {
        (timers, newTimer) = AsyncStream.makeStream()
        self.lapse = lapse.map { RunningLapse(start: $0.start ?? Self.now(), scale: $0.scale) }
        self.civilTime = civilTime
    }

    var clock: Clock {
        let origin = ContinuousClock.now
        var clock = Clock(
            now: Self.now,
            passed: { .now - origin },
            wake: { [newTimer] delay, fire in newTimer.yield(Timer(delay: delay, fire: fire)) },
            alarm: { [newTimer] fire in
                let timer = WallClockTimer { newTimer.yield(Timer(delay: .zero, fire: fire)) }
                return Alarm { timer.set($0?.milliseconds) }
            }
        )
        if let lapse {
            clock.now = { lapse.now }
            clock.passed = { lapse.now.since(lapse.start) }
            clock.alarm = { [newTimer] fire in Self.alarm(on: lapse, newTimer, fire) }
        }
        if let civilTime {
            (clock.now, clock.passed, clock.alarm) = (civilTime.now, civilTime.passed, civilTime.alarm)
        }
        clock.alarm = { [calls, alarm = clock.alarm] fire in
            let number = calls.value.count
            calls.value.append(fire)
            return alarm { if calls.value.indices.contains(number) { calls.value[number]() } }
        }
        return clock
    }

    /// Calls what all alarms call, as when the clock was set: whoever waits for civil time computes it anew.
    @DomainActor
    func ring() {
        for call in calls.value { call() }
    }

    /// On shutdown the pending timers are dropped: their work concerns only state that ends with the process.
    func run() async throws {
        defer { calls.value = [] }
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for await timer in timers {
                    group.addTask {
                        guard (try? await QueueTimer.sleep(for: timer.delay)) != nil else { return }  // cancelled
                        await timer.fire()
                    }
                }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            newTimer.finish()
        }
    }

    private static func now() -> Timestamp {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded()))
    }

    /// Nobody sets a clock that runs faster, so its alarms are timers. One that was replaced fires for nothing.
    private static func alarm(
        on lapse: RunningLapse, _ newTimer: AsyncStream<Timer>.Continuation,
        _ fire: @escaping @DomainActor @Sendable () -> Void
    ) -> Alarm {
        let latest = LatestTime()
        return Alarm { time in
            guard latest.replace(by: time), let time else { return }
            newTimer.yield(Timer(delay: lapse.real(until: time)) { if latest.take(time) { fire() } })
        }
    }
}

/// What an alarm is set to.
private final class LatestTime: Sendable {
    private let time = Mutex<Timestamp?>(nil)

    /// - Returns: whether it is another time than before.
    func replace(by new: Timestamp?) -> Bool {
        time.withLock { time in
            defer { time = new }
            return time != new
        }
    }

    /// - Returns: whether it still was this time; now it is none.
    func take(_ due: Timestamp) -> Bool {
        time.withLock { time in
            guard time == due else { return false }
            time = nil
            return true
        }
    }
}

/// Civil time that begins at a moment of choice and runs faster than time passes.
private struct RunningLapse: Sendable {
    let start: Timestamp
    let scale: Double
    private let origin = ContinuousClock.now

    init(start: Timestamp, scale: Double) {
        self.start = start
        self.scale = scale
    }

    var now: Timestamp { start.advanced(by: (.now - origin) * scale) }

    /// How much time passes until the clock shows this; a little more, so that it is not a moment too early.
    func real(until time: Timestamp) -> Duration { time.since(now) / scale + .microseconds(100) }
}
