import GRDB

extension Database {
    /// One transaction that is synced to disk.
    func writeDurably(_ write: () throws -> Void) throws {
        // Journal batches skip it: a power failure may take their last seconds, and each sync wears an SD card.
        try execute(sql: "PRAGMA synchronous = FULL")
        // Sets a flag in memory. If it fails, later batches are only written more carefully than needed.
        defer { try? execute(sql: "PRAGMA synchronous = NORMAL") }
        try inTransaction(.immediate) {
            try write()
            return .commit
        }
    }

    /// ``writeDurably(_:)`` for what removes keys or digests of tokens: they are in no page of the database afterwards,
    /// and, unless another reader prevents it, not in its log.
    ///
    /// What is deleted is zeroed, but SQLite leaves copies of rows that it has moved to another page. Emptying a table
    /// zeroes all of its pages. These tables are small.
    ///
    /// - Returns: whether the log is empty.
    @discardableResult func erase(_ write: () throws -> Void) throws -> Bool {
        // With them SQLite would not empty the table of bridges, but delete row by row, and their scenes as well.
        try execute(sql: "PRAGMA foreign_keys = OFF")
        defer { try? execute(sql: "PRAGMA foreign_keys = ON") }  // Sets a flag in memory.
        try writeDurably {
            try write()
            for table in Schema.secret {
                let records = try BackupFile.Record.fetchAll(table, self)
                try execute(sql: "DELETE FROM \(table)")
                for record in records { try record.insert(into: table, self) }
            }
        }
        return (try? emptyLog()) != nil
    }

    /// One transaction on the journal, which has no secrets: pages that become free need not be zeroed, which would mean
    /// to write as much as is deleted.
    func writeJournal(_ write: () throws -> Void) throws {
        try execute(sql: "PRAGMA secure_delete = FAST")
        // Sets a flag in memory.
        defer { try? execute(sql: "PRAGMA secure_delete = ON") }
        try inTransaction(.immediate) {
            try write()
            return .commit
        }
    }
}
