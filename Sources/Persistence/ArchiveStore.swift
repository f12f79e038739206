import GRDB
import Khipu
import Lighting

/// The archive on the database. A change it has confirmed survives a power failure. A text ends at its first NUL, as in
/// SQLite.
struct ArchiveStore: Sendable {
    let database: SerialDatabase

    var archive: Archive {
        Archive(
            keep: { keepsake, reply in
                database.perform {
                    try keep(keepsake, $0)
                } then: {
                    reply($0.outcome)
                }
            },
            drop: { bridge, reply in
                database.perform {
                    try drop(bridge, $0)
                } then: {
                    reply($0.outcome)
                }
            }
        )
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
        case let .dashboard(dashboard):
            guard try Dashboard.fetch(db) != dashboard else { return }
            try db.writeDurably { try dashboard.save(db) }
        }
    }

    private func keep(_ pairing: Pairing, _ db: Database) throws {
        if let stored = try Pairing.fetch(pairing.bridge.id, db, at: .never), stored.hasSameRow(as: pairing) { return }
        try db.writeDurably { try pairing.save(db) }
    }

    private func drop(_ bridge: Bridge.ID, _ db: Database) throws {
        guard try Pairing.exists(bridge, db) else { return }
        try db.writeDurably { try Pairing.delete(bridge, db) }
        // Removes the key from the write-ahead log too. Another reader can prevent that; the bridge is forgotten all
        // the same, and the next checkpoint removes the key.
        _ = try? db.checkpoint(.truncate)
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
    /// One transaction that is synced to disk, and zeroes what it overwrites or deletes, because that may be a key.
    func writeDurably(_ write: () throws -> Void) throws {
        // Journal batches skip both: a power failure may take their last seconds, and each sync wears an SD card.
        try execute(sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
        defer {
            // Sets flags in memory. If it fails, later batches are only written more carefully than needed.
            try? execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA secure_delete = OFF")
        }
        try inTransaction(.immediate) {
            try write()
            return .commit
        }
    }
}
