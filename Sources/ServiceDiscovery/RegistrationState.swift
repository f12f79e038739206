import Executors
import Synchronization

/// The state that a ``ServiceRegistration`` shares with its worker thread.
final class RegistrationState: Sendable {
    private typealias Subscriber = AsyncStream<ServiceRegistration.State>.Continuation

    private struct Contents {
        var state = ServiceRegistration.State.waiting
        var subscribers: [Int: Subscriber] = [:]
        var nextSubscriber = 0
        /// The newest TXT record, until the worker takes it.
        var text: [UInt8]?
    }

    /// What the worker has to do next.
    struct PendingWork {
        var text: [UInt8]?
    }

    private let contents = Mutex(Contents())
    private let wakeup: WakeupDescriptor

    init(wakeup: WakeupDescriptor) { self.wakeup = wakeup }

    var state: ServiceRegistration.State { contents.withLock { $0.state } }

    /// Takes the pending work; `nil` tells the worker to end.
    func takeWork() -> PendingWork? {
        contents.withLock { contents in
            guard contents.state != .stopped else { return nil }
            defer { contents.text = nil }
            return PendingWork(text: contents.text)
        }
    }

    func update(_ text: [UInt8]) {
        contents.withLock { $0.text = text }
        wakeup.signal()
    }

    func publish(_ state: ServiceRegistration.State) {
        // Yields outside the lock: a continuation may run its termination handler, which takes the lock.
        let subscribers = contents.withLock { contents in
            guard contents.state != .stopped, contents.state != state else { return [Subscriber]() }
            contents.state = state
            return Array(contents.subscribers.values)
        }
        for subscriber in subscribers { subscriber.yield(state) }
    }

    func stop() {
        let subscribers = contents.withLock { contents in
            guard contents.state != .stopped else { return [Subscriber]() }
            contents.state = .stopped
            defer { contents.subscribers = [:] }
            return Array(contents.subscribers.values)
        }
        for subscriber in subscribers {
            subscriber.yield(.stopped)
            subscriber.finish()
        }
        wakeup.signal()
    }

    func states() -> AsyncStream<ServiceRegistration.State> {
        let (stream, subscriber) = AsyncStream.makeStream(
            of: ServiceRegistration.State.self, bufferingPolicy: .bufferingNewest(1)
        )
        let (number, state) = contents.withLock { contents in
            defer { contents.nextSubscriber += 1 }
            if contents.state != .stopped { contents.subscribers[contents.nextSubscriber] = subscriber }
            return (contents.nextSubscriber, contents.state)
        }
        subscriber.onTermination = { [weak self] _ in self?.unsubscribe(number) }
        subscriber.yield(state)
        if state == .stopped { subscriber.finish() }
        return stream
    }

    private func unsubscribe(_ number: Int) {
        _ = contents.withLock { $0.subscribers.removeValue(forKey: number) }
    }
}
