import Synchronization
import Testing

@testable import HueBridge

@Suite(.timeLimit(.minutes(5)))
struct ProbeSlotsTests {
    @Test func `as many probes run at once as there are slots, and all run in the end`() async {
        let slots = ProbeSlots(3)
        let load = Load()
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...50 {
                group.addTask {
                    await slots.run {
                        load.begin()
                        for _ in 1...10 { await Task.yield() }
                        load.end()
                    }
                }
            }
        }
        #expect(load.now == 0 && load.most == 3 && load.ended == 50)
    }
}

/// Counts what runs at once.
private final class Load: Sendable {
    private let state = Mutex((now: 0, most: 0, ended: 0))

    var now: Int { state.withLock { $0.now } }
    var most: Int { state.withLock { $0.most } }
    var ended: Int { state.withLock { $0.ended } }

    func begin() {
        state.withLock { state in
            state.now += 1
            state.most = max(state.most, state.now)
        }
    }

    func end() {
        state.withLock { state in
            state.now -= 1
            state.ended += 1
        }
    }
}
