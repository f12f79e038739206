import GRDB

/// The tables, by named migrations. A migration that was shipped is never changed: another one follows it.
enum Schema {
    /// "lgtd": tells our databases from those of other programs.
    static let applicationID: Int32 = 0x6C67_7464

    /// Marks a blank database as ours. Comes before the migrator, which makes a table of its own first.
    static func sign(_ db: Database) throws {
        try db.execute(sql: "PRAGMA application_id = \(applicationID)")
    }

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 bridges, scenes, dashboard, journal") { db in
            try db.execute(
                sql: """
                    CREATE TABLE bridge (
                        id        TEXT    NOT NULL PRIMARY KEY,
                        name      TEXT    NOT NULL,
                        model     TEXT    NOT NULL,
                        host      TEXT    NOT NULL,
                        port      INTEGER NOT NULL,
                        key       TEXT    NOT NULL,
                        clientKey TEXT,
                        trust     TEXT    NOT NULL CHECK (trust IN ('maker', 'pinned')),
                        pin       TEXT    CHECK ((trust = 'pinned') = (pin IS NOT NULL))
                    ) STRICT, WITHOUT ROWID;

                    CREATE TABLE scene (
                        bridge TEXT    NOT NULL REFERENCES bridge (id) ON DELETE CASCADE,
                        place  INTEGER NOT NULL,
                        id     TEXT    NOT NULL,
                        name   TEXT    NOT NULL,
                        room   TEXT,
                        lights TEXT    NOT NULL,
                        PRIMARY KEY (bridge, place)
                    ) STRICT, WITHOUT ROWID;

                    CREATE TABLE dashboardPin (
                        place   INTEGER NOT NULL PRIMARY KEY,
                        kind    TEXT    NOT NULL CHECK (kind IN ('light', 'room', 'all')),
                        target  TEXT    CHECK ((kind = 'all') = (target IS NULL)),
                        display TEXT    NOT NULL
                    ) STRICT;

                    -- AUTOINCREMENT: numbers rise also after everything was pruned.
                    CREATE TABLE journal (
                        number  INTEGER PRIMARY KEY AUTOINCREMENT,
                        time    INTEGER NOT NULL,
                        feature TEXT    NOT NULL,
                        ticket  INTEGER NOT NULL,
                        message TEXT    NOT NULL
                    ) STRICT;

                    CREATE TABLE mark (
                        name  TEXT    NOT NULL PRIMARY KEY,
                        value INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("2 bridges without TLS and without API v2") { db in
            // A check cannot be changed: another table takes the place of the first, and its name, by which scenes know it.
            try db.execute(
                sql: """
                    -- Keys that are forgotten later shall not be left behind here.
                    PRAGMA secure_delete = ON;

                    CREATE TABLE newBridge (
                        id        TEXT    NOT NULL PRIMARY KEY,
                        name      TEXT    NOT NULL,
                        model     TEXT    NOT NULL,
                        host      TEXT    NOT NULL,
                        port      INTEGER NOT NULL,
                        key       TEXT    NOT NULL,
                        clientKey TEXT,
                        trust     TEXT    NOT NULL CHECK (trust IN ('maker', 'pinned', 'plain')),
                        pin       TEXT    CHECK ((trust = 'pinned') = (pin IS NOT NULL)),
                        -- Only API v1 is spoken without TLS.
                        api       INTEGER NOT NULL CHECK (api = 1 OR (api = 2 AND trust <> 'plain'))
                    ) STRICT, WITHOUT ROWID;

                    INSERT INTO newBridge SELECT id, name, model, host, port, key, clientKey, trust, pin, 2 FROM bridge;
                    DROP TABLE bridge;
                    ALTER TABLE newBridge RENAME TO bridge;

                    PRAGMA secure_delete = OFF;
                    """
            )
        }
        return migrator
    }
}
