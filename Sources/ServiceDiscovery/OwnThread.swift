import CDNSSD
import Glibc

/// A thread for one browser or one registration. dns_sd waits for D-Bus in nearly every call, which neither a caller
/// nor Swift's cooperative threads have the time for.
enum OwnThread {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Begins `body` at once; the thread ends with it.
    static func begin(_ body: @escaping @Sendable () -> Void) throws(DiscoveryError) {
        prepare
        var thread = pthread_t()
        // +1, paid back by the thread's first line.
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
            throw .code(code, doing: "beginning a thread")
        }
        pthread_detach(thread)
    }

    /// Once, before dns_sd is first called.
    private static let prepare: Void = {
        // Else it prints three lines about its being a compatibility layer; who has set the variable is left alone.
        setenv("AVAHI_COMPAT_NOWARN", "1", 0)
        cdnssd_zero_allocations()
    }()
}
