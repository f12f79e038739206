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

/// An eventfd that wakes a thread from `poll`. Any thread may signal it.
final class WakeupDescriptor: Sendable {
    private let descriptor: Int32

    init() throws(DiscoveryError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw .code(errno, doing: "creating an eventfd") }
    }

    deinit { Glibc.close(descriptor) }

    func signal() {
        // Fails only if 2^64 - 2 signals are unread, and then the descriptor is readable anyway.
        _ = eventfd_write(descriptor, 1)
    }

    /// Waits until one of `others` is readable, the wakeup is signalled or `deadline` has passed. Returns the readable
    /// ones.
    func wait(with others: [Int32], until deadline: ContinuousClock.Instant?) -> Set<Int32> {
        var polled = ([descriptor] + others).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let milliseconds = deadline.map { deadline in
            // Rounded up, or the last fraction of a millisecond would be spent spinning.
            let left = deadline - .now
            return left <= .zero ? 0 : Int32(clamping: Int64(left / .milliseconds(1)) + 1)
        }
        // An error is EINTR or ENOMEM: the caller checks its work and comes back.
        guard poll(&polled, nfds_t(polled.count), milliseconds ?? -1) > 0 else { return [] }
        if polled[0].revents != 0 {
            var count: eventfd_t = 0
            _ = eventfd_read(descriptor, &count)
        }
        return Set(polled.dropFirst().filter { $0.revents != 0 }.map(\.fd))
    }
}
