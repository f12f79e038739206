import Synchronization

@testable import HueBridge

/// A manual clock for a gateway: a sleeping task wakes when a test winds the clock past its time. Until the test has
/// first wound or read it, a task also wakes after ten seconds of real time: a machine that stood still may have to
/// repeat a request by which the bridge is paired and connected, and nobody would wind the clock for that.
final class HandBridgeClock: Sendable {
    private struct State {
        var now = Duration.zero
        var sleepers: [Int: (until: Duration, wake: AsyncStream<Never>.Continuation)] = [:]
        var count = 0
        var isInUse = false
    }

    private let state = Mutex(State())

    var clock: BridgeClock {
        BridgeClock(now: { self.state.withLock { $0.now } }, sleepUntil: { try await self.sleep(until: $0) })
    }

    /// The times that tasks sleep until, in order.
    var alarms: [Duration] {
        state.withLock { state in
            state.isInUse = true
            return state.sleepers.values.map(\.until).sorted()
        }
    }

    func wind(by duration: Duration) { wind(to: state.withLock { $0.now } + duration) }

    func wind(to time: Duration) {
        state.withLock { $0.isInUse = true }
        pass(time)
    }

    private func pass(_ time: Duration) {
        let due = state.withLock { state in
            state.now = max(state.now, time)
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.wake)
        }
        for wake in due { wake.finish() }
    }

    private func sleep(until time: Duration) async throws {
        let (sleep, wake) = AsyncStream<Never>.makeStream()
        let number: Int? = state.withLock { state in
            guard state.now < time else { return nil }
            state.count += 1
            state.sleepers[state.count] = (time, wake)
            return state.count
        }
        guard let number else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // Cancelled when the clock was wound.
                try? await Task.sleep(for: .seconds(10))
                if !Task.isCancelled, !self.state.withLock({ $0.isInUse }) { self.pass(time) }
            }
            for await _ in sleep {}
            group.cancelAll()
        }
        _ = state.withLock { $0.sleepers.removeValue(forKey: number) }
        try Task.checkCancellation()
    }
}
