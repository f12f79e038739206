import Khipu
import Testing

@DomainActor
struct StoreTests {
    private enum Change { case adding(Int), doubling }

    private func createCounter() -> Store<Int, Change> {
        createStore(1) { state, change in
            switch change {
            case let .adding(number): state + number
            case .doubling: state * 2
            }
        }
    }

    @Test func `changes are carried out in the order in which they are named`() {
        let store = createCounter()
        store.change(by: .adding(2), .doubling)
        #expect(store.state() == 6)
    }

    @Test func `subscribers are told once for several changes, with the last state`() {
        let store = createCounter()
        let heard = Heard<Int>()
        _ = store.subscribe { heard.add($0) }
        store.change(by: .adding(1), .adding(1), .doubling)
        #expect(heard.messages == [6])
    }

    @Test func `an observer is called at first and then only when its projection has changed`() {
        let store = createCounter()
        let heard = Heard<Bool>()
        _ = store.observe({ $0.isMultiple(of: 2) }) { heard.add($0) }
        store.change(by: .adding(2))
        store.change(by: .adding(1))
        store.change(by: .adding(2))
        store.change(by: .adding(1))
        #expect(heard.messages == [false, true, false])
    }

    @Test func `who cancelled hears nothing more, and the others go on hearing`() {
        let store = createCounter()
        let (one, other) = (Heard<Int>(), Heard<Int>())
        let subscription = store.subscribe { one.add($0) }
        _ = store.subscribe { other.add($0) }
        subscription.cancel()
        store.change(by: .doubling)
        #expect(one.messages.isEmpty)
        #expect(other.messages == [2])
    }

    @Test func `a subscriber that changes the store never makes another see the older state last`() {
        let store = createCounter()
        let heard = Heard<Int>()
        _ = store.subscribe { if $0 < 10 { store.change(by: .adding(10)) } }
        _ = store.subscribe { heard.add($0) }
        store.change(by: .doubling)
        #expect(heard.messages.last == 12)
        #expect(store.state() == 12)
    }

    @Test func `reset returns to the first state and tells of it`() {
        let store = createCounter()
        let heard = Heard<Int>()
        _ = store.subscribe { heard.add($0) }
        store.change(by: .adding(4))
        store.reset()
        #expect(heard.messages == [5, 1])
    }

    @Test func `a destroyed store is empty and silent`() {
        let store = createCounter()
        let heard = Heard<Int>()
        _ = store.subscribe { heard.add($0) }
        store.change(by: .adding(4))
        store.destroy()
        store.change(by: .adding(1))
        #expect(store.state() == 2)
        #expect(heard.messages == [5])
    }

    @Test func `a state once taken is a snapshot`() {
        let store = createCounter()
        let before = store.state()
        store.change(by: .adding(1))
        #expect(before == 1)
        #expect(store.current { $0 * 10 } == 20)
    }
}
