import Synchronization

/// What was made of the newest state, once for all who ask for the same: most of a thousand readers of events are in
/// step, and a shell prompt, a page and a bar ask for the same list again and again. Bytes are shared too.
final class StateCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Memory {
        /// The newest state's id.
        var newest: Int64 = 0
        var values: [Key: Value] = [:]
    }

    private let maximum: Int
    private let memory = Mutex(Memory())

    /// - Parameter maximum: what is made beyond this many values of one state is not kept.
    init(_ maximum: Int = 16) {
        self.maximum = maximum
    }

    /// - Parameters:
    ///   - state: its id. What is made of an older state than the newest is not kept.
    ///   - make: called under the lock: others who want the same wait for it instead of making it too.
    func value(for key: Key, of state: Int64, _ make: () throws -> Value) throws -> Value {
        try memory.withLock { memory in
            if memory.newest < state { memory = Memory(newest: state) }
            if memory.newest == state, let value = memory.values[key] { return value }
            let value = try make()
            if memory.newest == state, memory.values.count < maximum { memory.values[key] = value }
            return value
        }
    }
}
