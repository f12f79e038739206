import GRDB
import GRDBSQLite

extension GRDB.Configuration {
    /// How long a statement waits for other processes, in seconds.
    fileprivate static let patience = 5.0

    /// What every connection has in common, whatever is in the file that it opens.
    static func careful(_ label: String) -> Self {
        var configuration = Self()
        configuration.label = label
        // The user may have it open in the sqlite3 shell.
        configuration.busyMode = .timeout(patience)
        configuration.prepareDatabase { db in
            try db.execute(
                sql: """
                    -- What is deleted may be a key: it is zeroed. The journal, which has none, does without (writeJournal).
                    PRAGMA secure_delete = ON;
                    -- A view or a trigger that lightd did not make reaches nothing outside of the database.
                    PRAGMA trusted_schema = OFF;
                    PRAGMA cell_size_check = ON;
                    """)
        }
        return configuration
    }
}

extension Database {
    /// Empties the write-ahead log, which may contain what was erased, unless somebody reads it: that is not waited for.
    func emptyLog() throws {
        sqlite3_busy_timeout(sqliteConnection, 0)
        defer { sqlite3_busy_timeout(sqliteConnection, CInt(GRDB.Configuration.patience * 1000)) }
        _ = try checkpoint(.truncate)
    }

    /// For a connection that takes what others have written: no statement reaches another file, and no value is larger
    /// than a backup may be.
    ///
    /// SQLite has room for one authorizer, and GRDB needs that to follow transactions and changes of tables. So this is
    /// a limit, and the statements are made of lightd's own words (``BackupFile/Record/insert(into:_:)``).
    func confine() {
        sqlite3_limit(sqliteConnection, SQLITE_LIMIT_ATTACHED, 0)
        sqlite3_limit(sqliteConnection, SQLITE_LIMIT_LENGTH, 16 << 20)
    }

    /// For a connection to a file whose tables lightd may not have made: from now on it reads tables, and nothing else.
    /// No function, view, PRAGMA or write.
    ///
    /// It takes GRDB's authorizer away, which only follows what is refused here.
    func allowOnlyReading() {
        confine()
        sqlite3_set_authorizer(
            sqliteConnection,
            { _, action, _, _, _, source in
                // A source is the view or trigger that the action is a part of.
                (action == SQLITE_SELECT || action == SQLITE_READ) && source == nil ? SQLITE_OK : SQLITE_DENY
            }, nil)
    }
}
