import Synchronization

/// Identifies one transfer and tells whether its caller has cancelled it.
final class CancellationToken: Sendable {
    private let state = Mutex(false)

    var isCancelled: Bool { state.withLock { $0 } }

    /// - Returns: whether this was the first call.
    func cancel() -> Bool {
        state.withLock { isCancelled in
            defer { isCancelled = true }
            return !isCancelled
        }
    }
}
