import Synchronization

/// Bounds how many requests of one kind are under way at once.
final class ConcurrencyLimit: Sendable {
    /// Counts as one until it is released.
    final class Permit: Sendable {
        private let limit: ConcurrencyLimit

        fileprivate init(_ limit: ConcurrencyLimit) { self.limit = limit }

        deinit { limit.count.withLock { $0 -= 1 } }
    }

    private let count = Mutex(0)
    let maximum: Int

    init(_ maximum: Int) {
        self.maximum = maximum
    }

    /// `nil` if the limit is reached.
    func enter() -> Permit? {
        let isBelow = count.withLock { count in
            guard count < maximum else { return false }
            count += 1
            return true
        }
        return isBelow ? Permit(self) : nil
    }
}
