import CDNSSD
import Glibc

/// Wakes a thread that waits on descriptors. Any thread may ring.
final class Bell: Sendable {
    private let descriptor: Int32

    init() throws(DiscoveryError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw .code(errno, doing: "making an eventfd") }
    }

    deinit { Glibc.close(descriptor) }

    func ring() {
        // Fails only when it has rung 2^64 - 2 times unheard, and then it is heard all the same.
        _ = eventfd_write(descriptor, 1)
    }

    /// The descriptors of `others` that are readable, as soon as there is one, the bell rings, or `deadline` has
    /// passed.
    func wait(with others: [Int32], until deadline: ContinuousClock.Instant?) -> Set<Int32> {
        var polled = ([descriptor] + others).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let milliseconds = deadline.map { deadline in
            // Rounded up, or the last fraction of a millisecond would be spent spinning.
            let left = deadline - .now
            return left <= .zero ? 0 : Int32(clamping: Int64(left / .milliseconds(1)) + 1)
        }
        // An error is EINTR or ENOMEM: the caller looks at its orders and comes back.
        guard poll(&polled, nfds_t(polled.count), milliseconds ?? -1) > 0 else { return [] }
        if polled[0].revents != 0 {
            var rings: eventfd_t = 0
            _ = eventfd_read(descriptor, &rings)
        }
        return Set(polled.dropFirst().filter { $0.revents != 0 }.map(\.fd))
    }
}
