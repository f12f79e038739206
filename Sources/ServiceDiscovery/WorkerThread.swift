import CDNSSD
import Glibc

/// A thread for one browser or one registration. Nearly every dns_sd call waits for D-Bus, which would block a caller
/// or one of Swift's cooperative threads.
enum WorkerThread {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread, which ends with it.
    static func start(_ body: @escaping @Sendable () -> Void) throws(DiscoveryError) {
        prepare
        var thread = pthread_t()
        // +1, released by the thread's first line.
        let work = Unmanaged.passRetained(Work(body))
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                return nil
            },
            work.toOpaque()
        )
        guard code == 0 else {
            work.release()
            throw .code(code, doing: "starting a thread")
        }
        pthread_detach(thread)
    }

    /// Runs once, before the first dns_sd call.
    private static let prepare: Void = {
        // Without it dns_sd prints three lines about being a compatibility layer. An existing value is kept.
        setenv("AVAHI_COMPAT_NOWARN", "1", 0)
        cdnssd_zero_allocations()
    }()
}
