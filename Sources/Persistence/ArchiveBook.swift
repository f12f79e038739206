import GRDB
import Khipu
import Lighting

/// The archive on the database. What it has answered for has reached the disk, also should the power fail. A text ends at its
/// first NUL, as SQLite's do.
struct ArchiveBook: Sendable {
    let desk: Desk

    var archive: Archive {
        Archive(
            keep: { keepsake, reply in
                desk.post {
                    try keep(keepsake, $0)
                } then: {
                    reply($0.outcome)
                }
            },
            drop: { bridge, reply in
                desk.post {
                    try drop(bridge, $0)
                } then: {
                    reply($0.outcome)
                }
            }
        )
    }

    /// Writes only what differs from what is kept.
    private func keep(_ keepsake: Archive.Keepsake, _ db: Database) throws {
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
            try db.saveForGood { try Scene.replaceAll(of: bridge, by: scenes, db) }
        case let .dashboard(dashboard):
            guard try Dashboard.fetch(db) != dashboard else { return }
            try db.saveForGood { try dashboard.save(db) }
        }
    }

    private func keep(_ pairing: Pairing, _ db: Database) throws {
        if let kept = try Pairing.fetch(pairing.bridge.id, db, at: .never), kept.isKept(as: pairing) { return }
        try db.saveForGood { try pairing.save(db) }
    }

    private func drop(_ bridge: Bridge.ID, _ db: Database) throws {
        guard try Pairing.exists(bridge, db) else { return }
        try db.saveForGood { try Pairing.delete(bridge, db) }
        // The key goes from the log as well. The bridge is forgotten also where somebody who reads just now keeps us from that,
        // and the next checkpoint does it then.
        _ = try? db.checkpoint(.truncate)
    }
}

extension Timestamp {
    /// For pairings that are only compared: when their line was lost is not kept.
    fileprivate static var never: Self { Self(milliseconds: 0) }
}

extension Result where Success == Void, Failure == Obstacle {
    fileprivate var outcome: Outcome {
        switch self {
        case .success: .succeeded
        case let .failure(obstacle): .failed(obstacle.failure)
        }
    }
}

extension Database {
    /// One transaction, on the disk when this returns, with nothing left of what it overwrote or deleted: keys are among it.
    func saveForGood(_ write: () throws -> Void) throws {
        // The journal's batches do without: there a power failure may take the last seconds, and each sync wears the card.
        try execute(sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
        defer {
            // These set a flag in memory; at worst the next batch is written more carefully than it must be.
            try? execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA secure_delete = OFF")
        }
        try inTransaction(.immediate) {
            try write()
            return .commit
        }
    }
}
