import GRDB

/// The tables, as named migrations. A released migration is never edited; changes go into a new one.
enum Schema {
    /// "lgtd" in SQLite's `application_id`: marks the database as lightd's.
    static let applicationID: Int32 = 0x6C67_7464

    /// Marks an empty database as lightd's. Runs before the migrator, which would first create a table of its own.
    static func sign(_ db: Database) throws {
        try db.execute(sql: "PRAGMA application_id = \(applicationID)")
    }

    static let journal = """
        CREATE TABLE journal (
            number  INTEGER PRIMARY KEY AUTOINCREMENT,
            time    INTEGER NOT NULL,
            feature TEXT    NOT NULL,
            ticket  INTEGER NOT NULL,
            message TEXT    NOT NULL
        ) STRICT;
        """

    /// An entry's number without those that were skipped before it, as after a kill, is its place: places have no gaps,
    /// so that entries can be counted without reading them.
    static let place = "ALTER TABLE journal ADD COLUMN skipped INTEGER NOT NULL DEFAULT 0;"

    /// In JSON; absent if the message names nothing.
    static let names = "ALTER TABLE journal ADD COLUMN names TEXT;"

    static let memory = """
        CREATE TABLE light (
            id    TEXT NOT NULL PRIMARY KEY,
            state TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE step (
            number INTEGER PRIMARY KEY,
            step   TEXT NOT NULL
        ) STRICT;
        """

    static let followedLights = """
        CREATE TABLE followedLight (
            id    TEXT NOT NULL PRIMARY KEY,
            state TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    static let access = """
        CREATE TABLE access (
            number  INTEGER PRIMARY KEY AUTOINCREMENT,
            time    INTEGER NOT NULL,
            kind    TEXT    NOT NULL,
            sender  TEXT    NOT NULL,
            subject TEXT,
            reason  TEXT,
            failed  INTEGER NOT NULL CHECK (failed IN (0, 1)),
            count   INTEGER NOT NULL
        ) STRICT;
        """

    static let accessTable = "access"

    /// When people had lamps on, for `away`: what is kept of entries that were deleted.
    static let usage = """
        CREATE TABLE usage (
            light TEXT    NOT NULL,
            start INTEGER NOT NULL,
            "end" INTEGER NOT NULL,
            level REAL,
            -- The switch that turned it on.
            wall  TEXT,
            PRIMARY KEY (light, start)
        ) STRICT, WITHOUT ROWID;
        """

    /// What is known of lamps after the last entry that was deleted.
    static let usedLamps = """
        CREATE TABLE usedLamp (
            light TEXT NOT NULL PRIMARY KEY,
            lamp  TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// The tables whose loss is no reason not to start, and which go with the journal.
    static let expendable = ["journal", "light", "step", "followedLight", "usedLamp"]

    /// Further ones, which go for their own damage only, and how each is made.
    static let separate = [(table: accessTable, sql: access), (table: "usage", sql: usage)]

    /// The tables that a backup holds, those first that others refer to.
    static let archived = [
        "bridge", "scene", "sceneOrder", "dashboardPin", "exclusion", "automation", "automationMemory", "following",
        "curve",
        "binding", token,
    ]

    /// Those of its tables whose rows belong to a bridge, and go with it.
    static let ofBridges = ["scene", "sceneOrder"]

    /// Nothing but secrets: a backup without keys does not hold it.
    static let token = "token"

    /// The secrets among the columns of `bridge`.
    static let secretColumns = ["key", "clientKey"]

    /// The tables with secrets.
    static let secret = ["bridge", token]

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

                    \(journal)

                    CREATE TABLE mark (
                        name  TEXT    NOT NULL PRIMARY KEY,
                        value INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("2 bridges without TLS and without API v2") { db in
            // SQLite cannot change a CHECK, so a new table takes over the old one's rows and the name that scenes refer
            // to.
            try db.execute(
                sql: """
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
                        -- Without TLS only API v1 is used.
                        api       INTEGER NOT NULL CHECK (api = 1 OR (api = 2 AND trust <> 'plain'))
                    ) STRICT, WITHOUT ROWID;

                    INSERT INTO newBridge SELECT id, name, model, host, port, key, clientKey, trust, pin, 2 FROM bridge;
                    DROP TABLE bridge;
                    ALTER TABLE newBridge RENAME TO bridge;
                    """
            )
        }
        migrator.registerMigration("3 what lights showed, and which commands can be undone") { db in
            try db.execute(sql: memory)
        }
        migrator.registerMigration("4 access tokens") { db in
            try db.execute(
                sql: """
                    CREATE TABLE token (
                        name     TEXT    NOT NULL PRIMARY KEY,
                        access   TEXT    NOT NULL,
                        digest   TEXT    NOT NULL UNIQUE CHECK (length(digest) = 64),
                        created  INTEGER NOT NULL,
                        lastUsed INTEGER
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("5 numbers of entries that are not given again after a kill") { db in
            try db.execute(sql: place)
            try db.execute(
                sql: "INSERT INTO mark SELECT 'entry', seq FROM sqlite_sequence WHERE name = 'journal'")
        }
        migrator.registerMigration("6 tokens made by links") { db in
            try db.execute(
                sql: """
                    ALTER TABLE token ADD COLUMN isMadeByLink INTEGER NOT NULL DEFAULT 0 CHECK (isMadeByLink IN (0, 1));
                    -- A digest. It may be that of the configuration's token, which is in no table.
                    ALTER TABLE token ADD COLUMN maker TEXT CHECK (maker IS NULL OR isMadeByLink = 1);
                    """
            )
        }
        migrator.registerMigration("7 names of what the journal's entries are about") { db in
            try db.execute(sql: names)
        }
        migrator.registerMigration("8 tokens of pages that were signed in with another") { db in
            try db.execute(
                sql: """
                    -- The digest of that other one.
                    ALTER TABLE token ADD COLUMN signedInWith TEXT
                        CHECK (signedInWith IS NULL OR isMadeByLink = 0);
                    """
            )
        }
        migrator.registerMigration("9 what scenes look like") { db in
            try db.execute(sql: "ALTER TABLE scene ADD COLUMN look TEXT;")
        }
        migrator.registerMigration("10 automations") { db in
            try db.execute(
                sql: """
                    CREATE TABLE automation (
                        place      INTEGER NOT NULL PRIMARY KEY,
                        automation TEXT    NOT NULL
                    ) STRICT;

                    -- What they are doing and have done; one row.
                    CREATE TABLE automationMemory (
                        id     INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
                        memory TEXT    NOT NULL
                    ) STRICT;
                    """
            )
        }
        migrator.registerMigration("11 what lights follow") { db in
            try db.execute(
                sql: """
                    CREATE TABLE following (
                        place     INTEGER NOT NULL PRIMARY KEY,
                        following TEXT    NOT NULL
                    ) STRICT;

                    CREATE TABLE curve (
                        name  TEXT NOT NULL PRIMARY KEY,
                        curve TEXT NOT NULL
                    ) STRICT, WITHOUT ROWID;

                    \(followedLights)
                    """
            )
        }
        migrator.registerMigration("12 bindings of switches") { db in
            try db.execute(
                sql: """
                    CREATE TABLE binding (
                        switch  TEXT NOT NULL PRIMARY KEY,
                        binding TEXT NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("13 the presence replay") { db in
            try db.execute(
                sql: """
                    -- What is replayed is large and stays; what has been played changes with every lamp.
                    CREATE TABLE presence (
                        part  TEXT NOT NULL PRIMARY KEY CHECK (part IN ('history', 'replay')),
                        value TEXT NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("14 ends of tokens") { db in
            try db.execute(sql: #"ALTER TABLE token ADD COLUMN "end" INTEGER;"#)
        }
        migrator.registerMigration("15 which lights scenes turn off") { db in
            try db.execute(sql: "ALTER TABLE scene ADD COLUMN turnsOff TEXT;")
        }
        migrator.registerMigration("access log 1: who was let in, and who was not") { db in
            try db.execute(sql: access)
        }
        migrator.registerMigration("16 how people light their home, kept apart from the journal") { db in
            try db.execute(sql: usage + usedLamps)
        }
        migrator.registerMigration("17 smart scenes") { db in
            try db.execute(sql: "ALTER TABLE scene ADD COLUMN smart TEXT;")
        }
        migrator.registerMigration("18 the order of scenes") { db in
            try db.execute(
                sql: """
                    -- Apart from the scenes, which a bridge that has just started may not list yet.
                    CREATE TABLE sceneOrder (
                        room   TEXT NOT NULL PRIMARY KEY,
                        bridge TEXT NOT NULL REFERENCES bridge (id) ON DELETE CASCADE,
                        scenes TEXT NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("19 names that people gave to tokens of pages") { db in
            try db.execute(
                sql: "ALTER TABLE token ADD COLUMN isNamed INTEGER NOT NULL DEFAULT 0 CHECK (isNamed IN (0, 1));")
        }
        migrator.registerMigration("20 what the page and its All off leave out") { db in
            try db.execute(
                sql: """
                    CREATE TABLE exclusion (
                        light TEXT NOT NULL,
                        what  TEXT NOT NULL,
                        PRIMARY KEY (light, what)
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
        return migrator
    }
}
