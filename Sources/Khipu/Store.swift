/// Holds the one state of an application: a struct of functions around a value that only ``change`` replaces.
public struct Store<State: Sendable, Change: Sendable>: Sendable {
    /// The current state. The returned value is a snapshot: it never changes.
    public let state: @DomainActor () -> State
    /// Alters the state by each change in turn. Subscribers are called once, after the last change.
    public let change: @DomainActor ([Change]) -> Void
    /// Returns to the state that the store was created with.
    public let reset: @DomainActor () -> Void
    /// Returns to the first state and ends every subscription.
    public let destroy: @DomainActor () -> Void
    /// Calls back with the new state after every change.
    public let subscribe: @DomainActor (@escaping @DomainActor (State) -> Void) -> Subscription

    /// Alters the state by these changes, in this order.
    @DomainActor
    public func change(by changes: Change...) {
        change(changes)
    }

    /// The projection of the current state.
    @DomainActor
    public func current<Value>(_ projection: (State) -> Value) -> Value {
        projection(state())
    }

    /// Calls `observer` with the current projection, and again whenever a change makes the projection different.
    @DomainActor
    public func observe<Value: Equatable & Sendable>(
        _ projection: @escaping @DomainActor (State) -> Value,
        _ observer: @escaping @DomainActor (Value) -> Void
    ) -> Subscription {
        let last = Box(projection(state()))
        observer(last.value)
        return subscribe { state in
            let value = projection(state)
            guard value != last.value else { return }
            last.value = value
            observer(value)
        }
    }
}

/// Ends a subscription by ``cancel``. A subscription that is only dropped goes on until the store is destroyed.
public struct Subscription: Sendable {
    public let cancel: @DomainActor () -> Void

    public init(cancel: @escaping @DomainActor () -> Void) {
        self.cancel = cancel
    }
}

/// Creates a store in memory. Saving what must survive a restart is the task of a gateway.
///
/// - Parameter alter: the pure function from a state and a change to the next state.
@DomainActor
public func createStore<State, Change>(
    _ initial: State,
    alter: @escaping @Sendable (State, Change) -> State
) -> Store<State, Change> {
    let box = StateBox(initial)
    return Store(
        state: { box.state },
        change: { changes in
            box.state = changes.reduce(box.state, alter)
            box.notify()
        },
        reset: {
            box.state = initial
            box.notify()
        },
        destroy: {
            box.subscribers = []
            box.state = initial
        },
        subscribe: { box.subscribe($0) }
    )
}

/// The reference behind a store's functions.
@DomainActor
private final class StateBox<State: Sendable> {
    var state: State
    var subscribers: [(number: Int, call: @DomainActor (State) -> Void)] = []
    private var count = 0

    init(_ state: State) {
        self.state = state
    }

    /// Reads `state` anew for each subscriber: if one of them changes the store, those after it must not get the older
    /// state last. One that another cancels meanwhile is not called any more.
    func notify() {
        for subscriber in subscribers where subscribers.contains(where: { $0.number == subscriber.number }) {
            subscriber.call(state)
        }
    }

    func subscribe(_ call: @escaping @DomainActor (State) -> Void) -> Subscription {
        count += 1
        let number = count
        subscribers.append((number, call))
        return Subscription { [weak self] in self?.subscribers.removeAll { $0.number == number } }
    }
}

@DomainActor
private final class Box<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
}
