import Synchronization

/// What a registration's callers and its thread share.
final class Desk: Sendable {
    private typealias Reader = AsyncStream<ServiceRegistration.State>.Continuation

    private struct Papers {
        var state = ServiceRegistration.State.waiting
        var readers: [Int: Reader] = [:]
        var nextReader = 0
        /// The newest TXT record, until the thread takes it.
        var text: [UInt8]?
    }

    struct Orders {
        var text: [UInt8]?
    }

    private let papers = Mutex(Papers())
    private let bell: Bell

    init(bell: Bell) { self.bell = bell }

    var state: ServiceRegistration.State { papers.withLock { $0.state } }

    /// What the thread has to do; nil is to end.
    func orders() -> Orders? {
        papers.withLock { papers in
            guard papers.state != .stopped else { return nil }
            defer { papers.text = nil }
            return Orders(text: papers.text)
        }
    }

    func update(_ text: [UInt8]) {
        papers.withLock { $0.text = text }
        bell.ring()
    }

    func tell(_ state: ServiceRegistration.State) {
        // Readers hear it outside the lock: a continuation may run its termination handler, which comes back here.
        let readers = papers.withLock { papers in
            guard papers.state != .stopped, papers.state != state else { return [Reader]() }
            papers.state = state
            return Array(papers.readers.values)
        }
        for reader in readers { reader.yield(state) }
    }

    func stop() {
        let readers = papers.withLock { papers in
            guard papers.state != .stopped else { return [Reader]() }
            papers.state = .stopped
            defer { papers.readers = [:] }
            return Array(papers.readers.values)
        }
        for reader in readers {
            reader.yield(.stopped)
            reader.finish()
        }
        bell.ring()
    }

    func states() -> AsyncStream<ServiceRegistration.State> {
        let (stream, reader) = AsyncStream.makeStream(
            of: ServiceRegistration.State.self, bufferingPolicy: .bufferingNewest(1)
        )
        let (number, state) = papers.withLock { papers in
            defer { papers.nextReader += 1 }
            if papers.state != .stopped { papers.readers[papers.nextReader] = reader }
            return (papers.nextReader, papers.state)
        }
        reader.onTermination = { [weak self] _ in self?.leave(number) }
        reader.yield(state)
        if state == .stopped { reader.finish() }
        return stream
    }

    private func leave(_ number: Int) {
        _ = papers.withLock { $0.readers.removeValue(forKey: number) }
    }
}
