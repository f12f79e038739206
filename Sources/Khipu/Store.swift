/// Holds the one state of an application: a struct of functions around a value that only ``change`` replaces.
public struct Store<State: Sendable, Change: Sendable>: Sendable {
    /// The state as it is now. The returned value never changes: keeping it is keeping a snapshot.
    public let state: @DomainActor () -> State
    /// Alters the state by every change in turn; observers are told once, after the last of them.
    public let change: @DomainActor ([Change]) -> Void
    /// Back to the state that the store was created with.
    public let reset: @DomainActor () -> Void
    /// Back to the first state, and every subscription ended.
    public let destroy: @DomainActor () -> Void
    /// Calls back after every change with the new state.
    public let subscribe: @DomainActor (@escaping @DomainActor (State) -> Void) -> Subscription

    /// Alters the state by these changes, in this order.
    @DomainActor
    public func change(by changes: Change...) {
        change(changes)
    }

    /// What `projection` says of the state now.
    @DomainActor
    public func current<Value>(_ projection: (State) -> Value) -> Value {
        projection(state())
    }

    /// Calls `observer` with the present projection at once, and then whenever the projection has changed; a change that
    /// leaves the projection equal is not reported.
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

/// Ends a subscription. Dropping it does not: an observer lives until it is cancelled or the store is destroyed.
public struct Subscription: Sendable {
    public let cancel: @DomainActor () -> Void

    public init(cancel: @escaping @DomainActor () -> Void) {
        self.cancel = cancel
    }
}

/// A store in memory. What must survive is a gateway's business, not the store's.
///
/// - Parameter alter: the pure function from a state and a change to the next state.
@DomainActor
public func createStore<State, Change>(
    _ initial: State,
    alter: @escaping @Sendable (State, Change) -> State
) -> Store<State, Change> {
    let keeper = Keeper(initial)
    return Store(
        state: { keeper.state },
        change: { changes in
            keeper.state = changes.reduce(keeper.state, alter)
            keeper.tell()
        },
        reset: {
            keeper.state = initial
            keeper.tell()
        },
        destroy: {
            keeper.subscribers = []
            keeper.state = initial
        },
        subscribe: { keeper.subscribe($0) }
    )
}

/// The reference behind a store's functions.
@DomainActor
private final class Keeper<State: Sendable> {
    var state: State
    var subscribers: [(number: Int, call: @DomainActor (State) -> Void)] = []
    private var count = 0

    init(_ state: State) {
        self.state = state
    }

    /// Reads `self.state` afresh for each subscriber: one that changes the store while being told must not make the next
    /// one see the older state after the newer.
    func tell() {
        for subscriber in subscribers { subscriber.call(state) }
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
