import Synchronization

/// A setting that may be replaced while its users run: they read it each time they need it.
public final class Live<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    public init(_ value: Value) { state = Mutex(value) }

    public var value: Value {
        get { state.withLock(\.self) }
        set { state.withLock { $0 = newValue } }
    }

    /// Changes it in one step.
    public func change<Result>(_ change: (inout Value) -> Result) -> Result { state.withLock { change(&$0) } }
}
