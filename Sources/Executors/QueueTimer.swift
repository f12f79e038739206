import CLinux
import Dispatch
import Glibc
import HeapModule
import Synchronization

/// Waits by a timer of a serial queue. The time in which the machine is suspended counts, as it does for
/// `ContinuousClock`: a wait that became due meanwhile ends when the machine goes on. `Task.sleep` ends on the default executor, even for a task that runs on another
/// (``RestingExecutor``).
public enum QueueTimer {
    private static let waits = Waits()
    /// A century.
    private static let longest = Duration.seconds(3_155_760_000)

    /// Returns after this time; at once if it is not positive.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public static func sleep(for duration: Duration) async throws {
        let (untilDue, due) = AsyncStream<Never>.makeStream()
        let wait = waits.add(BootTime.now() + max(.zero, min(duration, longest)), due)
        for await _ in untilDue {}
        waits.remove(wait)
        try Task.checkCancellation()
    }
}

/// The time since the machine was started, with that in which it was suspended.
private enum BootTime {
    static func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// All waits share one timer. Nearly all of them are timeouts that end long before they are due, and setting a timer
/// costs a system call: it is set only for a wait that is due before all others. It waits in the kernel, because
/// libdispatch has no timer that counts the time of a suspended machine.
private final class Waits: Sendable {
    struct Wait: Comparable {
        let due: Duration
        let number: UInt64

        static func < (one: Self, other: Self) -> Bool { (one.due, one.number) < (other.due, other.number) }
    }

    private struct State {
        /// Contains waits that have ended.
        var waits = Heap<Wait>()
        var waiting: [UInt64: AsyncStream<Never>.Continuation] = [:]
        var count: UInt64 = 0
        /// What the timer is set for; `nil` for nothing.
        var next: Duration?

        /// The earliest wait that has not ended.
        mutating func first() -> Wait? {
            while let first = waits.min, waiting[first.number] == nil { waits.removeMin() }
            return waits.min
        }
    }

    private let state = Mutex(State())
    private let descriptor: Int32
    /// libdispatch's sources may be used from any thread.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    init() {
        descriptor = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
        precondition(descriptor >= 0, "no timer can be made: \(String(cString: strerror(errno)))")
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "timers"))
        source.setEventHandler { [unowned self] in wake() }
        source.activate()
    }

    func add(_ due: Duration, _ continuation: AsyncStream<Never>.Continuation) -> UInt64 {
        state.withLock { state in
            let wait = Wait(due: due, number: state.count)
            state.count += 1
            state.waits.insert(wait)
            state.waiting[wait.number] = continuation
            if state.next.map({ due < $0 }) ?? true { set(&state, to: due) }
            return wait.number
        }
    }

    func remove(_ wait: UInt64) {
        state.withLock { state in
            guard state.waiting.removeValue(forKey: wait) != nil, state.waits.count > 2 * state.waiting.count + 64
            else {
                return
            }
            state.waits = Heap(state.waits.unordered.filter { state.waiting[$0.number] != nil })
        }
    }

    private func wake() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
        let due = state.withLock { state in
            var due: [AsyncStream<Never>.Continuation] = []
            let now = BootTime.now()
            while let first = state.first(), first.due <= now {
                due += [state.waiting.removeValue(forKey: first.number)].compactMap { $0 }
            }
            set(&state, to: state.first()?.due)
            return due
        }
        for wait in due { wait.finish() }
    }

    private func set(_ state: inout State, to time: Duration?) {
        state.next = time
        var value = itimerspec()
        if let time {
            let (seconds, attoseconds) = time.components
            value.it_value = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        }
        timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &value, nil)
    }
}
