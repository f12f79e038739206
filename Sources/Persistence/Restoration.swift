import GRDB
import Khipu
public import Lighting

/// What came of a backup that was to be restored when the database was opened.
public enum Restoration: Equatable, Sendable {
    case done
    /// Why not, in a few words. The state is what it was.
    case failed(String)

    /// Restores the backup that waits in the directory, if one does.
    ///
    /// Whenever lightd is killed, the next start finds the old state and the backup, or the new state: what says that the
    /// backup was restored is written with it in one transaction. The state before is kept as a backup of its own, without
    /// keys and tokens: it outlives bridges that are forgotten and tokens that are revoked.
    static func restore(
        from directory: StateDirectory, at time: Timestamp, _ db: Database, _ closed: ClosedConnections
    ) throws -> Self? {
        let name = StateDirectory.restoreName
        guard let bytes = try directory.read(name) else {
            try db.forgetRestored()
            return nil
        }
        var result = Self.done
        let fingerprint = BackupFile.fingerprint(of: bytes)
        do {
            if try db.restored != fingerprint {
                let backup = try CheckedBackup.check(BackupFile(bytes: bytes), closed: closed)
                let before = try BackupFile.fetch(db, withKeys: false, version: "before a restore", at: time)
                try directory.replace(StateDirectory.beforeRestoreName, by: before.bytes)
                try db.erase {
                    try backup.replaceState(in: db)
                    try db.noteRestored(fingerprint)
                }
            }
        } catch let error as StateDatabaseError {
            result = .failed("\(error)")
        } catch let error as BackupError {
            result = .failed("\(error)")
        } catch {
            result = .failed("\(PersistenceError(error))")
        }
        // Also if it failed: at a later start it would be a surprise.
        try directory.remove(name)
        try db.forgetRestored()
        return result
    }
}

extension BackupError: CustomStringConvertible {
    public var description: String {
        switch self {
        case let .wrongFile(reason): reason
        case let .newer(version): "it was made by a newer lightd (\(version))"
        case let .database(reason): reason
        }
    }
}

extension Database {
    private static let mark = "restored"

    /// The fingerprint of the backup that was restored, and may still be in the directory.
    fileprivate var restored: Int64? {
        get throws {
            try Int64.fetchOne(self, sql: "SELECT value FROM mark WHERE name = ?", arguments: [Self.mark])
        }
    }

    fileprivate func noteRestored(_ fingerprint: Int64) throws {
        try execute(
            sql: "INSERT INTO mark VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            arguments: [Self.mark, fingerprint])
    }

    /// Writes only if there is something to forget.
    fileprivate func forgetRestored() throws {
        try execute(sql: "DELETE FROM mark WHERE name = ?", arguments: [Self.mark])
    }
}
