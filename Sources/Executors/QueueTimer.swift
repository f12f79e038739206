import Dispatch
import HeapModule
import Synchronization

/// Waits by a timer of a serial queue. `Task.sleep` ends on the default executor, even for a task that runs on another
/// (``RestingExecutor``).
public enum QueueTimer {
    private static let waits = Waits()
    /// A century: what libdispatch can count in nanoseconds.
    private static let longest = Duration.seconds(3_155_760_000)

    /// Returns after this time; at once if it is not positive.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public static func sleep(for duration: Duration) async throws {
        let (untilDue, due) = AsyncStream<Never>.makeStream()
        let wait = waits.add(.now() + .nanoseconds(Int(max(.zero, min(duration, longest)) / .nanoseconds(1))), due)
        for await _ in untilDue {}
        waits.remove(wait)
        try Task.checkCancellation()
    }
}

/// All waits share one timer. Nearly all of them are timeouts that end long before they are due, and setting a timer
/// wakes two threads of libdispatch: it is set only for a wait that is due before all others.
private final class Waits: Sendable {
    struct Wait: Comparable {
        let due: DispatchTime
        let number: UInt64

        static func < (one: Self, other: Self) -> Bool { (one.due, one.number) < (other.due, other.number) }
    }

    private struct State {
        /// Contains waits that have ended.
        var waits = Heap<Wait>()
        var waiting: [UInt64: AsyncStream<Never>.Continuation] = [:]
        var count: UInt64 = 0
        /// What the timer is set for.
        var next = DispatchTime.distantFuture

        /// The earliest wait that has not ended.
        mutating func first() -> Wait? {
            while let first = waits.min, waiting[first.number] == nil { waits.removeMin() }
            return waits.min
        }
    }

    private let state = Mutex(State())
    /// libdispatch's sources may be used from any thread.
    private nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timers"))

    init() {
        timer.setEventHandler { [unowned self] in wake() }
        timer.activate()
    }

    func add(_ due: DispatchTime, _ continuation: AsyncStream<Never>.Continuation) -> UInt64 {
        state.withLock { state in
            let wait = Wait(due: due, number: state.count)
            state.count += 1
            state.waits.insert(wait)
            state.waiting[wait.number] = continuation
            if due < state.next { set(&state, to: due) }
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
        let due = state.withLock { state in
            var due: [AsyncStream<Never>.Continuation] = []
            let now = DispatchTime.now()
            while let first = state.first(), first.due <= now {
                due += [state.waiting.removeValue(forKey: first.number)].compactMap { $0 }
            }
            set(&state, to: state.first()?.due ?? .distantFuture)
            return due
        }
        for wait in due { wait.finish() }
    }

    private func set(_ state: inout State, to time: DispatchTime) {
        state.next = time
        timer.schedule(deadline: time)
    }
}
