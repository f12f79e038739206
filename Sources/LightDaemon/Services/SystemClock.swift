import Executors
import FoundationEssentials
import Khipu
import Lighting
import ServiceLifecycle

/// The domain's clock on the system's: gives the time of day, and runs delayed work as child tasks of this service.
struct SystemClock: Service {
    private struct Timer: Sendable {
        let delay: Duration
        let fire: @DomainActor @Sendable () -> Void
    }

    private let timers: AsyncStream<Timer>
    private let newTimer: AsyncStream<Timer>.Continuation

    init() {
        (timers, newTimer) = AsyncStream.makeStream()
    }

    var clock: Clock {
        Clock(
            now: { Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded())) },
            wake: { [newTimer] delay, fire in newTimer.yield(Timer(delay: delay, fire: fire)) }
        )
    }

    /// On shutdown the pending timers are dropped: their work concerns only state that ends with the process.
    func run() async throws {
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
}
