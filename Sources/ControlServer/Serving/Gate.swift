import Synchronization

/// How many are inside at once.
final class Gate: Sendable {
    /// A place inside, held until it is dropped.
    final class Pass: Sendable {
        private let gate: Gate

        fileprivate init(_ gate: Gate) { self.gate = gate }

        deinit { gate.inside.withLock { $0 -= 1 } }
    }

    private let inside = Mutex(0)
    private let most: Int

    init(most: Int) {
        self.most = most
    }

    /// `nil` where it is full.
    func enter() -> Pass? {
        let isIn = inside.withLock { count in
            guard count < most else { return false }
            count += 1
            return true
        }
        return isIn ? Pass(self) : nil
    }
}
