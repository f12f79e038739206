import Synchronization

/// Wakes those who follow something. A bell holds no news: who hears it looks for himself. So a slow subscriber costs nothing
/// and delays nobody, and finds the newest when he comes.
final class ChangeSignal: Sendable {
    enum Signal: Sendable {
        case news
        /// Time has passed; there may be news as well.
        case beat
    }

    /// Hears until it is let go or the bell is taken down.
    final class Subscriber: Sendable {
        let signals: AsyncStream<Signal>
        private let stop: @Sendable () -> Void

        fileprivate init(_ signals: AsyncStream<Signal>, stop: @escaping @Sendable () -> Void) {
            self.signals = signals
            self.stop = stop
        }

        deinit { stop() }

        /// Ends ``signals``.
        func cancel() { stop() }
    }

    private struct State {
        var subscribers: [Int: AsyncStream<Signal>.Continuation] = [:]
        var count = 0
        var isDown = false
    }

    private let state = Mutex(State())

    /// The subscriber's stream is ended already where the bell was taken down.
    func subscribe() -> Subscriber {
        let (signals, slot) = AsyncStream<Signal>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number: Int? = state.withLock { state in
            guard !state.isDown else { return nil }
            state.count += 1
            state.subscribers[state.count] = slot
            return state.count
        }
        guard let number else {
            slot.finish()
            return Subscriber(signals, stop: {})
        }
        return Subscriber(signals) { [weak self] in
            self?.state.withLock { $0.subscribers.removeValue(forKey: number) }?.finish()
        }
    }

    func send(_ signal: Signal = .news) {
        for subscriber in state.withLock({ Array($0.subscribers.values) }) { subscriber.yield(signal) }
    }

    var isHeard: Bool { state.withLock { !$0.subscribers.isEmpty } }

    /// Ends every subscriber's stream, and those of all who come later.
    func close() {
        let subscribers = state.withLock { state in
            state.isDown = true
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.finish() }
    }
}
