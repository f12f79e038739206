import Synchronization

/// Signals that something changed. It carries no data: a subscriber reads the latest state when it wakes, so that a
/// slow one costs nothing and skips what came in between.
public final class ChangeSignal: Sendable {
    public enum Signal: Sendable {
        case changed
        /// Sent by a subscriber's own timer: time has passed, and something may have changed as well.
        case timer
    }

    /// Receives signals until it is cancelled or released.
    public final class Subscriber: Sendable {
        public let signals: AsyncStream<Signal>
        private let continuation: AsyncStream<Signal>.Continuation
        private let unsubscribe: @Sendable () -> Void

        fileprivate init(
            _ signals: AsyncStream<Signal>, _ continuation: AsyncStream<Signal>.Continuation,
            unsubscribe: @escaping @Sendable () -> Void
        ) {
            self.signals = signals
            self.continuation = continuation
            self.unsubscribe = unsubscribe
        }

        deinit { cancel() }

        /// Sends a signal to this subscriber only.
        public func send(_ signal: Signal) { continuation.yield(signal) }

        /// Ends ``signals``.
        public func cancel() {
            unsubscribe()
            continuation.finish()
        }
    }

    private let subscribers = Mutex<(last: Int, continuations: [Int: AsyncStream<Signal>.Continuation])>((0, [:]))

    public init() {}

    public func subscribe() -> Subscriber {
        let (signals, continuation) = AsyncStream<Signal>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = subscribers.withLock { subscribers in
            subscribers.last += 1
            subscribers.continuations[subscribers.last] = continuation
            return subscribers.last
        }
        return Subscriber(signals, continuation) { [weak self] in
            _ = self?.subscribers.withLock { $0.continuations.removeValue(forKey: number) }
        }
    }

    /// How many there are.
    public var subscriberCount: Int { subscribers.withLock(\.continuations.count) }

    /// Sends a signal to all subscribers at once.
    func send(_ signal: Signal) {
        for continuation in subscribers.withLock({ Array($0.continuations.values) }) { continuation.yield(signal) }
    }

    /// Sends a signal to all subscribers, so many at a time.
    ///
    /// - Parameter pause: what happens between them, before the next ones are woken.
    public func send(
        _ signal: Signal, atOnce count: Int, pause: nonisolated(nonsending) () async -> Void
    ) async {
        var rest = subscribers.withLock { Array($0.continuations.values) }[...]
        while !rest.isEmpty {
            for continuation in rest.prefix(count) { continuation.yield(signal) }
            rest = rest.dropFirst(count)
            if !rest.isEmpty { await pause() }
        }
    }
}
