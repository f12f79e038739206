import CDNSSD
import Executors
import Glibc

/// A thread for one browser or one registration. Nearly every dns_sd call waits for D-Bus, which would block a caller
/// or one of Swift's cooperative threads.
enum WorkerThread {
    /// Runs `body` on a new thread, which ends with it.
    static func start(_ body: @escaping @Sendable () -> Void) throws(DiscoveryError) {
        prepare
        let code = startThread("dns-sd", body)
        guard code == 0 else { throw .code(code, doing: "starting a thread") }
    }

    /// Runs once, before the first dns_sd call.
    private static let prepare: Void = {
        // Without it dns_sd prints three lines about being a compatibility layer. An existing value is kept.
        setenv("AVAHI_COMPAT_NOWARN", "1", 0)
        cdnssd_zero_allocations()
        cdnssd_drop_unhandled_signals()
    }()
}

extension WakeupDescriptor {
    static func make() throws(DiscoveryError) -> WakeupDescriptor {
        do throws(WakeupError) {
            return try WakeupDescriptor()
        } catch {
            throw .code(error.code, doing: "creating an eventfd")
        }
    }

    /// Waits until one of `others` is readable, the wakeup is signalled or `deadline` has passed. Returns the readable
    /// ones.
    func wait(with others: [Int32], until deadline: ContinuousClock.Instant?) -> Set<Int32> {
        let events = wait(with: others.map { ($0, POLLIN) }, until: deadline)
        return Set(zip(others, events).filter { $1 != 0 }.map(\.0))
    }
}
