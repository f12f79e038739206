import Khipu
import Testing

@DomainActor
struct StoreTests {
    private enum Change { case adding(Int), doubling }

    private func makeStore() -> Store<Int, Change> {
        createStore(1) { state, change in
            switch change {
            case let .adding(number): state + number
            case .doubling: state * 2
            }
        }
    }

    @Test func `changes are applied in the order given`() {
        let store = makeStore()
        store.change(by: .adding(2), .doubling)
        #expect(store.state() == 6)
    }

    @Test func `subscribers are called once for several changes, with the last state`() {
        let store = makeStore()
        let recorder = Recorder<Int>()
        _ = store.subscribe { recorder.add($0) }
        store.change(by: .adding(1), .adding(1), .doubling)
        #expect(recorder.messages == [6])
    }

    @Test func `an observer is called at once, and then only when its projection has changed`() {
        let store = makeStore()
        let recorder = Recorder<Bool>()
        _ = store.observe({ $0.isMultiple(of: 2) }) { recorder.add($0) }
        store.change(by: .adding(2))
        store.change(by: .adding(1))
        store.change(by: .adding(2))
        store.change(by: .adding(1))
        #expect(recorder.messages == [false, true, false])
    }

    @Test func `a cancelled subscriber is no longer called, and the others still are`() {
        let store = makeStore()
        let (one, other) = (Recorder<Int>(), Recorder<Int>())
        let subscription = store.subscribe { one.add($0) }
        _ = store.subscribe { other.add($0) }
        subscription.cancel()
        store.change(by: .doubling)
        #expect(one.messages.isEmpty)
        #expect(other.messages == [2])
    }

    @Test func `a subscriber that another one cancels during a change is not called`() {
        let store = makeStore()
        let recorder = Recorder<Int>()
        var later: Subscription?
        _ = store.subscribe { _ in later?.cancel() }
        later = store.subscribe { recorder.add($0) }
        store.change(by: .doubling)
        #expect(recorder.messages.isEmpty)
    }

    @Test func `if a subscriber changes the store, the others still get the newest state last`() {
        let store = makeStore()
        let recorder = Recorder<Int>()
        _ = store.subscribe { if $0 < 10 { store.change(by: .adding(10)) } }
        _ = store.subscribe { recorder.add($0) }
        store.change(by: .doubling)
        #expect(recorder.messages.last == 12)
        #expect(store.state() == 12)
    }

    @Test func `reset returns to the first state and calls subscribers`() {
        let store = makeStore()
        let recorder = Recorder<Int>()
        _ = store.subscribe { recorder.add($0) }
        store.change(by: .adding(4))
        store.reset()
        #expect(recorder.messages == [5, 1])
    }

    @Test func `a destroyed store has its first state and calls no subscriber`() {
        let store = makeStore()
        let recorder = Recorder<Int>()
        _ = store.subscribe { recorder.add($0) }
        store.change(by: .adding(4))
        store.destroy()
        store.change(by: .adding(1))
        #expect(store.state() == 2)
        #expect(recorder.messages == [5])
    }

    @Test func `a state is a snapshot`() {
        let store = makeStore()
        let before = store.state()
        store.change(by: .adding(1))
        #expect(before == 1)
        #expect(store.current { $0 * 10 } == 20)
    }
}
