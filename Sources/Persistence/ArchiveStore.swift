import Executors
import GRDB
import Khipu
import Lighting
import Synchronization

/// The archive on the database. A change it has confirmed survives a power failure. A text ends at its first NUL, as in
/// SQLite.
///
/// What could not be written is reported as such, and written later all the same if the domain goes on with it.
final class ArchiveStore: Sendable {
    private let database: SerialDatabase
    private let health: WriteHealth
    private let remember: @Sendable (Memory) -> Void
    private let waiting = WaitingItems()
    private let unsaved = Mutex(UnsavedItems())
    private let mustEmptyLog = Mutex(false)
    /// Yields when a write has failed, or the log must be emptied.
    private let due: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    init(_ database: SerialDatabase, health: WriteHealth, remember: @escaping @Sendable (Memory) -> Void) {
        self.database = database
        self.health = health
        self.remember = remember
        (due, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var archive: Archive {
        Archive(
            keep: enqueue,
            drop: { bridge, reply in
                self.waiting.close(bridge)
                self.database.perform {
                    try self.drop(bridge, $0)
                } then: { result in
                    self.note(result)
                    if case .success = result { self.unsaved.withLock { $0.forget(bridge) } }
                    reply(result.outcome)
                }
            },
            check: { reply in
                self.database.perform {
                    try $0.checkWriting()
                } then: { result in
                    self.note(result)
                    reply(result.outcome)
                }
            },
            remember: remember
        )
    }

    @Sendable private func enqueue(_ item: Archive.Item, _ reply: @escaping Reply<Outcome>) {
        guard let place = waiting.add(item, reply) else { return }
        database.perform {
            try self.keep(self.waiting.take(place).item, $0)
        } then: { result in
            // The same again, or what waited until the database was closed.
            let (item, replies) = self.waiting.take(place)
            self.note(item, result)
            for reply in replies { reply(result.outcome) }
        }
    }

    /// Tries again after each pause while the database cannot be written, until its task is cancelled.
    func run(pause: Duration = .seconds(5)) async {
        for await _ in due {
            repeat {
                guard (try? await QueueTimer.sleep(for: pause)) != nil else { return }
            } while await !recover()
        }
    }

    /// Tries a last time to write what could not be written.
    func finish() async {
        if !database.isWritable || !unsaved.withLock(\.all).isEmpty { await recover() }
    }

    /// Writes what could not be written. Returns whether nothing is left to do.
    @discardableResult
    func recover() async -> Bool {
        var result = await database.makeWritable()
        if case .success = result {
            result = await database.perform { [self] db in
                for item in unsaved.withLock(\.all) {
                    // The bridge may have been forgotten.
                    do { try keep(item, db) } catch is Failure {}
                    unsaved.withLock { $0.remove(item) }
                }
                // All may be stored as it was before: what shows that the database can be written is a write.
                try db.checkWriting()
                if mustEmptyLog.withLock(\.self) {
                    try db.emptyLog()
                    mustEmptyLog.withLock { $0 = false }
                }
            }
        }
        switch result {
        case .success: health.succeeded(.archive)
        case .failure(.closed): break
        case .failure: return false
        }
        return true
    }

    private func note(_ item: Archive.Item, _ result: Result<Void, PersistenceError>) {
        unsaved.withLock { unsaved in
            if case .failure(.database) = result { unsaved.insert(item) } else { unsaved.remove(item) }
        }
        note(result)
    }

    private func note(_ result: Result<Void, PersistenceError>) {
        if case let .failure(error) = result { note(error) }
    }

    /// Says that the database cannot be written, and tries again later.
    func note(_ error: PersistenceError) {
        guard case .database = error else { return }
        health.failed(.archive, error)
        wakeUp.yield()
    }

    /// Writes only what differs from the stored rows.
    private func keep(_ keepsake: Archive.Item, _ db: Database) throws {
        switch keepsake {
        case let .pairing(pairing):
            try keep(pairing, db)
        case let .sighting(id, address, name: name, model: model):
            guard let known = try Pairing.fetch(id, db, at: .never) else { throw Failure.noSuchBridge(id) }
            let seen = Bridge(
                id: id, name: name, model: model, address: address, connection: known.bridge.connection
            )
            try keep(known.with(seen), db)
        case let .scenes(of: bridge, scenes):
            guard try Pairing.exists(bridge, db) else { throw Failure.noSuchBridge(bridge) }
            guard try Scene.fetchAll(of: bridge, db) != scenes else { return }
            try db.writeDurably { try Scene.replaceAll(of: bridge, by: scenes, db) }
        case let .sceneOrders(of: bridge, orders):
            guard try Pairing.exists(bridge, db) else { throw Failure.noSuchBridge(bridge) }
            guard try SceneOrder.fetchAll(of: bridge, db) != orders else { return }
            try db.writeDurably { try SceneOrder.replaceAll(of: bridge, by: orders, db) }
        case let .dashboard(dashboard):
            guard try Dashboard.fetch(db) != dashboard else { return }
            try db.writeDurably { try dashboard.save(db) }
        case let .automations(automations):
            guard try Automation.fetchAll(db) != automations else { return }
            try db.writeDurably { try Automation.replaceAll(by: automations, db) }
        case let .automationMemory(memory):
            guard try AutomationState.Memory.fetch(db) != memory else { return }
            try db.writeDurably { try memory.save(db) }
        case let .bindings(bindings):
            guard try SwitchBinding.fetchAll(db) != bindings else { return }
            try db.writeDurably { try SwitchBinding.replaceAll(by: bindings, db) }
        case let .followings(followings, curves: curves):
            guard try Following.fetchAll(db) != followings || Curve.fetchAll(db) != curves else { return }
            try db.writeDurably {
                try Following.replaceAll(by: followings, db)
                try Curve.replaceAll(by: curves, db)
            }
        case let .presence(replay):
            try db.writeDurably { try replay.save(db) }
        }
    }

    private func keep(_ pairing: Pairing, _ db: Database) throws {
        let stored = try Pairing.fetch(pairing.bridge.id, db, at: .never)
        guard let stored, stored.key != pairing.key || stored.clientKey != pairing.clientKey else {
            if stored?.hasSameRow(as: pairing) != true { try db.writeDurably { try pairing.save(db) } }
            return
        }
        try erase(db) { try pairing.save(db) }
    }

    private func drop(_ bridge: Bridge.ID, _ db: Database) throws {
        guard try Pairing.exists(bridge, db) else { return }
        try erase(db) { try Pairing.delete(bridge, db) }
    }

    /// Removes keys or digests of tokens for good. While another reader needs the log, they are still in it: it is
    /// emptied as soon as that is possible.
    func erase(_ db: Database, _ write: () throws -> Void) throws {
        if try !db.erase(write) { emptyLog() }
    }

    /// Empties the write-ahead log, in which something may be that was erased: soon, and again until it succeeds.
    func emptyLog() {
        mustEmptyLog.withLock { $0 = true }
        wakeUp.yield()
    }
}

extension Timestamp {
    /// For pairings that are only compared: the time of a lost connection is not stored.
    fileprivate static var never: Self { Self(milliseconds: 0) }
}

extension Result where Success == Void, Failure == PersistenceError {
    var outcome: Outcome {
        switch self {
        case .success: .succeeded
        case let .failure(error): .failed(error.failure)
        }
    }
}

extension Database {
    /// Throws if nothing can be written now.
    fileprivate func checkWriting() throws {
        // Counts: SQLite does not write a page whose content stays the same.
        try writeDurably {
            try execute(
                sql: "INSERT INTO mark VALUES ('check', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1")
        }
    }
}
