import Dispatch
import Synchronization

/// Something that happens once. Tasks and threads wait for it, never longer than a test is patient.
final class Happening: Sendable {
    private struct State {
        var hasHappened = false
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var next = 0
    }

    private let state = Mutex(State())
    private let semaphore = DispatchSemaphore(value: 0)

    func happen() {
        let waiting = state.withLock { state in
            state.hasHappened = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for one in waiting { one.resume(returning: true) }
        semaphore.signal()
    }

    /// For tasks.
    /// - Returns: whether it happened in time.
    func wait(_ seconds: Double = 10) async -> Bool {
        await withCheckedContinuation { continuation in
            let number: Int? = state.withLock { state in
                guard !state.hasHappened else { return nil }
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
    /// - Returns: whether it happened in time.
    func block(_ seconds: Double = 10) -> Bool {
        guard semaphore.wait(timeout: .now() + seconds) == .success else { return false }
        // Passed on to the next who waits.
        semaphore.signal()
        return true
    }
}

/// Waits until something is so that nobody announces, as what `/proc` shows; looks every few milliseconds.
func eventually(_ seconds: Double = 10, _ isSo: () async throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while try await !isSo() {
        guard ContinuousClock.now < end else { return false }
        // A cancelled test ends here rather than at the deadline.
        do { try await Task.sleep(for: .milliseconds(5)) } catch { return false }
    }
    return true
}
