import Dispatch
import Synchronization

/// An event that happens once and that tasks and threads wait for. Waiting ends at a deadline that only a defect
/// reaches.
final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var next = 0
    }

    private let state = Mutex(State())
    private let semaphore = DispatchSemaphore(value: 0)

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(returning: true) }
        semaphore.signal()
    }

    /// For tasks.
    /// - Returns: whether it was opened in time.
    func wait(_ seconds: Double = 60) async -> Bool {
        await withCheckedContinuation { continuation in
            let number: Int? = state.withLock { state in
                guard !state.isOpen else { return nil }
                state.next += 1
                state.waiting[state.next] = continuation
                return state.next
            }
            guard let number else { return continuation.resume(returning: true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [self] in
                state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: false)
            }
        }
    }

    /// For threads.
    /// - Returns: whether it was opened in time.
    func block(_ seconds: Double = 60) -> Bool {
        guard semaphore.wait(timeout: .now() + seconds) == .success else { return false }
        // Passed on to the next waiting thread.
        semaphore.signal()
        return true
    }
}

/// Polls for a condition that nothing announces, such as what `/proc` shows. Gives up at a deadline that only a defect
/// reaches.
func eventually(_ seconds: Double = 60, _ condition: () async throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while try await !condition() {
        guard ContinuousClock.now < end else { return false }
        // A cancelled test ends here instead of at the deadline.
        do { try await Task.sleep(for: .milliseconds(5)) } catch { return false }
    }
    return true
}
