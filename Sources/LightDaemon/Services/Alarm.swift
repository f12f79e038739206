import FoundationEssentials
import Khipu
import Lighting
import ServiceLifecycle

/// The domain's clock made real: the time of day, and alarms as children of one service.
struct Alarm: Service {
    private struct Order: Sendable {
        let delay: Duration
        let ring: @DomainActor @Sendable () -> Void
    }

    private let orders: AsyncStream<Order>
    private let slot: AsyncStream<Order>.Continuation

    init() {
        (orders, slot) = AsyncStream.makeStream()
    }

    var clock: Clock {
        Clock(
            now: { Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded())) },
            wake: { [slot] delay, ring in slot.yield(Order(delay: delay, ring: ring)) }
        )
    }

    /// Alarms still to come are dropped at the end: they only tidy up what ends with the process.
    func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for await order in orders {
                    group.addTask {
                        // Cancelled, there is nothing to ring for.
                        guard (try? await Task.sleep(for: order.delay)) != nil else { return }
                        await order.ring()
                    }
                }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            slot.finish()
        }
    }
}
