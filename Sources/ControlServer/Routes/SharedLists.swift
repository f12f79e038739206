import NIOCore
import Synchronization

/// The bytes of the lists of the newest state, made once: a shell prompt, a page and a bar ask for the same again and
/// again. At most one list for each path is kept.
final class SharedLists: Sendable {
    private struct Memory {
        /// The newest state's id.
        var newest: Int64 = 0
        /// By path.
        var lists: [String: ByteBuffer] = [:]
    }

    private let memory = Mutex(Memory())

    /// The list at a path in the state with this id.
    func list(at path: String, of state: Int64, _ make: () throws -> ByteBuffer) throws -> ByteBuffer {
        if let list = memory.withLock({ $0.newest == state ? $0.lists[path] : nil }) { return list }
        let list = try make()
        memory.withLock { memory in
            if memory.newest < state { memory = Memory(newest: state) }
            if memory.newest == state { memory.lists[path] = list }
        }
        return list
    }
}
