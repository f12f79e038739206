import CLinux
import Glibc

/// An eventfd that wakes a thread from `poll`. Any thread may signal it.
public final class WakeupDescriptor: Sendable {
    private let descriptor: Int32

    /// - Throws: the error number, if there is none to be had.
    public init() throws(WakeupError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw WakeupError(code: errno) }
    }

    deinit { Glibc.close(descriptor) }

    public func signal() {
        // Fails only if 2^64 - 2 signals are unread, and then the descriptor is readable anyway.
        _ = eventfd_write(descriptor, 1)
    }

    /// Waits until something happens on one of `others`, the wakeup is signalled or `deadline` has passed.
    ///
    /// - Parameter others: descriptors, each with the events that are waited for.
    /// - Returns: what happened on each of them; nothing in none of them if it was something else.
    public func wait(
        with others: [(descriptor: Int32, events: Int32)], until deadline: ContinuousClock.Instant?
    ) -> [Int32] {
        var polled = ([(descriptor, POLLIN)] + others).map { pollfd(fd: $0, events: Int16($1), revents: 0) }
        let milliseconds = deadline.map { deadline in
            // Rounded up, or the last fraction of a millisecond would be spent spinning.
            let left = deadline - .now
            return left <= .zero ? 0 : Int32(clamping: Int64(left / .milliseconds(1)) + 1)
        }
        // An error is EINTR or ENOMEM: the caller checks its work and comes back.
        guard poll(&polled, nfds_t(polled.count), milliseconds ?? -1) > 0 else { return others.map { _ in 0 } }
        if polled[0].revents != 0 {
            var count: eventfd_t = 0
            _ = eventfd_read(descriptor, &count)
        }
        return polled.dropFirst().map { Int32($0.revents) }
    }
}

/// Why there is no ``WakeupDescriptor``.
public struct WakeupError: Error {
    public let code: CInt
}
