import CLinux
import Dispatch
import Glibc
import Synchronization

/// Fires when the wall clock shows a time: also after a sleep of the machine, and at once when the clock is set, whichever
/// way. It waits in the kernel, and costs nothing until then.
public final class WallClockTimer: Sendable {
    private let descriptor: Int32
    private let fire: @Sendable () -> Void
    /// What it is set to, so that the same time costs no system call; `nil` if it has fired.
    private let known: Known
    /// libdispatch's sources may be used from any thread.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// - Parameter fire: may be called more often than was asked for, and looks at the clock itself.
    public init(fire: @escaping @Sendable () -> Void) {
        let descriptor = timerfd_create(CLOCK_REALTIME, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
        precondition(descriptor >= 0, "no timer can be made: \(String(cString: strerror(errno)))")
        let known = Known()
        self.descriptor = descriptor
        self.known = known
        self.fire = fire
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "wall clock"))
        source.setEventHandler {
            var count: UInt64 = 0
            // ECANCELED says that the clock was set; the timer stays set.
            guard read(descriptor, &count, 8) == 8 || errno == ECANCELED else { return }
            known.setting.withLock { $0 = nil }
            fire()
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit { source.cancel() }

    /// Sets the time, in milliseconds since 1970, instead of the one set before; `nil` only stops it.
    public func set(_ milliseconds: Int64?) {
        let isKnown = known.setting.withLock { setting in
            defer { setting = .some(milliseconds) }
            return setting == .some(milliseconds)
        }
        guard !isKnown else { return }
        var value = itimerspec()
        if let milliseconds {
            // A zero would stop it.
            let time = max(milliseconds, 1)
            value.it_value = timespec(tv_sec: Int(time / 1000), tv_nsec: Int(time % 1000) * 1_000_000)
        }
        let flags = Int32(TFD_TIMER_ABSTIME) | Int32(TFD_TIMER_CANCEL_ON_SET)
        // ECANCELED: it is set, but the clock was set before, and now no read will tell.
        if timerfd_settime(descriptor, flags, &value, nil) != 0, errno == ECANCELED { fire() }
    }

    private final class Known: Sendable {
        let setting = Mutex<Int64??>(nil)
    }
}
