import GRDB
public import Lighting

extension StateDatabase {
    /// Backups of this database. One that is restored takes effect when the directory is opened the next time.
    public var backups: StateBackups {
        StateBackups(
            make: { withKeys, version, time throws(BackupError) in
                // What the disk did not take before belongs in it, if the disk takes it now.
                await self.saveUnsaved()
                let file = await self.database.perform {
                    try BackupFile.fetch($0, withKeys: withKeys, version: version, at: time).bytes
                }
                return try file.orBackupError()
            },
            examine: { bytes throws(BackupError) in try await self.check(bytes).summary },
            restore: { bytes throws(BackupError) in
                let summary = try await self.check(bytes).summary
                try await self.keepForRestore(bytes)
                return summary
            })
    }

    private func check(_ bytes: [UInt8]) async throws(BackupError) -> (CheckedBackup, summary: BackupSummary) {
        let file = try BackupFile(bytes: bytes)
        let backup = try CheckedBackup.check(file, closed: closedConnections)
        return (backup, try await database.perform { try backup.summary(replacing: $0) }.orBackupError())
    }

    private func keepForRestore(_ bytes: [UInt8]) async throws(BackupError) {
        // In a turn of its own, so that nothing is kept once the database is closed.
        try await database.perform { [stateDirectory] _ in
            try stateDirectory.replace(StateDirectory.restoreName, by: bytes)
        }.orBackupError()
    }
}

extension Result where Failure == PersistenceError {
    fileprivate func orBackupError() throws(BackupError) -> Success {
        do throws(PersistenceError) { return try get() } catch { throw .database("\(error)") }
    }
}
