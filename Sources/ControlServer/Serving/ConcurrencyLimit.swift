import Synchronization

/// How many are inside at once.
final class ConcurrencyLimit: Sendable {
    /// A place inside, held until it is dropped.
    final class Permit: Sendable {
        private let limit: ConcurrencyLimit

        fileprivate init(_ limit: ConcurrencyLimit) { self.limit = limit }

        deinit { limit.inside.withLock { $0 -= 1 } }
    }

    private let inside = Mutex(0)
    private let most: Int

    init(most: Int) {
        self.most = most
    }

    /// `nil` where it is full.
    func enter() -> Permit? {
        let isIn = inside.withLock { count in
            guard count < most else { return false }
            count += 1
            return true
        }
        return isIn ? Permit(self) : nil
    }
}
