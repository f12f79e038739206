import Synchronization

/// Wakes those who follow something. A bell holds no news: who hears it looks for himself. So a slow listener costs nothing
/// and delays nobody, and finds the newest when he comes.
final class Bell: Sendable {
    enum Ring: Sendable {
        case news
        /// Time has passed; there may be news as well.
        case beat
    }

    /// Hears until it is let go or the bell is taken down.
    final class Listener: Sendable {
        let rings: AsyncStream<Ring>
        private let stop: @Sendable () -> Void

        fileprivate init(_ rings: AsyncStream<Ring>, stop: @escaping @Sendable () -> Void) {
            self.rings = rings
            self.stop = stop
        }

        deinit { stop() }

        /// Ends ``rings``.
        func leave() { stop() }
    }

    private struct State {
        var listeners: [Int: AsyncStream<Ring>.Continuation] = [:]
        var count = 0
        var isDown = false
    }

    private let state = Mutex(State())

    /// The listener's stream is ended already where the bell was taken down.
    func listen() -> Listener {
        let (rings, slot) = AsyncStream<Ring>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number: Int? = state.withLock { state in
            guard !state.isDown else { return nil }
            state.count += 1
            state.listeners[state.count] = slot
            return state.count
        }
        guard let number else {
            slot.finish()
            return Listener(rings, stop: {})
        }
        return Listener(rings) { [weak self] in
            self?.state.withLock { $0.listeners.removeValue(forKey: number) }?.finish()
        }
    }

    func ring(_ ring: Ring = .news) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(ring) }
    }

    var isHeard: Bool { state.withLock { !$0.listeners.isEmpty } }

    /// Ends every listener's stream, and those of all who come later.
    func takeDown() {
        let listeners = state.withLock { state in
            state.isDown = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
