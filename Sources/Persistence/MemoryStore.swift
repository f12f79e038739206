import GRDB
import Lighting
import Synchronization

/// What lightd remembers of the lights, on the database: written with the batches of the journal, or without a journal
/// when lightd ends.
final class MemoryStore: Sendable {
    private struct State {
        /// What the database contains; `nil` if that is unknown.
        var saved: Memory?
        /// `nil` if it is saved.
        var newest: Memory?
        /// Of the newest.
        var revision = 0
    }

    /// What was written by a transaction.
    struct Batch {
        fileprivate let memory: Memory
        fileprivate let revision: Int
    }

    private let state: Mutex<State>

    init(saved: Memory?) {
        state = Mutex(State(saved: saved))
    }

    func remember(_ memory: Memory) {
        state.withLock {
            $0.newest = memory
            $0.revision += 1
        }
    }

    var isSaved: Bool { state.withLock { $0.newest == nil } }

    /// Writes what has changed since the last batch. Belongs in a transaction; ``noteSaved(_:)`` follows it.
    ///
    /// - Returns: what was written; `nil` if nothing had to be.
    func save(_ db: Database) throws -> Batch? {
        let (saved, newest, revision) = state.withLock { ($0.saved, $0.newest, $0.revision) }
        guard let newest else { return nil }
        if saved == nil { try Memory.delete(db) }
        try newest.save(over: saved ?? Memory(), db)
        return Batch(memory: newest, revision: revision)
    }

    func noteSaved(_ batch: Batch?) {
        guard let batch else { return }
        state.withLock { state in
            state.saved = batch.memory
            if state.revision == batch.revision { state.newest = nil }
        }
    }

    /// The tables were emptied: all is written again.
    func forgetSaved() {
        state.withLock { state in
            if state.newest == nil { state.newest = state.saved }
            state.saved = nil
        }
    }
}
