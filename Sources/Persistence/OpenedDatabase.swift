import GRDB
import Khipu
import Lighting

/// Opens the database: checks the archive, migrates and reads it. The journal's size does not matter.
struct OpenedDatabase {
    let queue: DatabaseQueue
    let contents: Archive.Contents
    /// The memory that the database contains; `nil` if that is unknown, because some of it cannot be read.
    let memory: Memory?
    let numbers: JournalNumbers
    /// Why it can only be read for now; `nil` if it can be written.
    let obstacle: PersistenceError?
    /// What came of a backup that was to be restored; `nil` if there was none.
    let restoration: Restoration?

    /// What happens to the state while it is opened, before it is read.
    enum Beginning: Sendable {
        /// A backup that waits to be restored is.
        case start
        /// A database that was set aside is replaced by what could be saved of it.
        case anew(SalvagedState)
        /// Nothing: lightd uses the state already.
        case again
    }

    /// How to open one database.
    struct Opening: Sendable {
        let directory: StateDirectory
        let journal: JournalPolicy
        let clock: Clock
        let closed: ClosedConnections

        /// Opens it for writing, or, while the disk is full or read-only, for reading what is there.
        ///
        /// - Throws: why it cannot be used, if it cannot be read either.
        func forWritingOrReading(_ beginning: Beginning) throws(StateDatabaseError) -> OpenedDatabase {
            try directory.checkLog()
            let refusal: StateDatabaseError
            do throws(StateDatabaseError) {
                // Before SQLite opens anything: closing a descriptor of the database releases the locks of the whole
                // process (fcntl(2)).
                try directory.prepareFiles()
                return try forWriting(beginning)
            } catch {
                refusal = error
            }
            guard let obstacle = refusal.obstacle else { throw refusal }
            do throws(StateDatabaseError) {
                return try opened { try OpenedDatabase(reading: directory, journal, clock.now(), because: obstacle) }
            } catch {
                // Damage matters more than a full disk. Otherwise, what prevents writing prevents reading, too.
                throw error.obstacle == nil ? error : refusal
            }
        }

        private func forWriting(_ beginning: Beginning) throws(StateDatabaseError) -> OpenedDatabase {
            try opened {
                let queue = try DatabaseQueue(path: directory.database, configuration: OpenedDatabase.configuration)
                do {
                    return try OpenedDatabase(writing: queue, in: directory, journal, clock.now(), closed, beginning)
                } catch {
                    // What prevents writing matters, not what prevents closing.
                    try? closed.close(queue)
                    throw error
                }
            }
        }

        private func opened(_ open: () throws -> OpenedDatabase) throws(StateDatabaseError) -> OpenedDatabase {
            do {
                return try open()
            } catch let error as StateDatabaseError {
                throw error
            } catch let error as DatabaseError {
                throw error.asStateError(at: directory.database)
            } catch {
                throw .damaged(path: directory.database, detail: (error as? CorruptRow)?.detail ?? "\(error)")
            }
        }
    }

    private init(
        writing queue: DatabaseQueue, in directory: StateDirectory, _ journal: JournalPolicy, _ now: Timestamp,
        _ closed: ClosedConnections, _ beginning: Beginning
    ) throws {
        let path = directory.database
        self.queue = queue
        let migrator = Schema.migrator
        // Checked before anything is written: a foreign or damaged database stays as it is.
        try queue.inDatabase { db in
            let isBlank = try Self.check(db, migrator, at: path)
            let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
            guard mode == "wal" else {
                throw StateDatabaseError.unusable(
                    path: path, cause: "its file system does not support a write-ahead log")
            }
            if isBlank { try Schema.sign(db) }
        }
        try migrator.migrate(queue)
        switch beginning {
        case .start:
            restoration = try queue.inDatabase { try Restoration.restore(from: directory, at: now, $0, closed) }
        case let .anew(salvaged):
            restoration = nil
            try queue.inDatabase { try salvaged.save($0) }
        case .again: restoration = nil
        }
        let saved: Memory?
        (contents, saved, numbers) = try queue.inDatabase { db in
            let state = try Self.fetch(db, journal, now)
            try db.writeDurably {
                try state.numbers.tickets.save(db)
                // Without a journal no entry is given a number.
                if case .off = journal { try Memory.delete(db) } else { try state.numbers.entries.save(db) }
            }
            return state
        }
        // Without a journal it is written only when lightd ends. If lightd is killed, a memory that is older than its
        // last commands must not come back.
        if case .off = journal { memory = Memory() } else { memory = saved }
        obstacle = nil
    }

    /// The numbers that are given out before their raised ceilings can be saved are in no journal.
    private init(
        reading directory: StateDirectory, _ journal: JournalPolicy, _ now: Timestamp,
        because obstacle: PersistenceError
    ) throws {
        var configuration = Self.configuration
        configuration.readonly = true
        let path = directory.database
        // SQLite shares the index of a write-ahead log in a file, which it cannot create on such a disk. Alone and
        // without locks, which need a file to write to, it makes the index in memory
        // (https://www.sqlite.org/wal.html#use_of_wal_without_shared_memory). A missing log it would create, unless it
        // is told that nobody writes.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        let access = directory.hasLog ? "vfs=unix-none" : "immutable=1"
        queue = try DatabaseQueue(path: "file:\(path.escapedForURI)?\(access)", configuration: configuration)
        (contents, memory, numbers) = try queue.inDatabase { db in
            let migrator = Schema.migrator
            guard try !Self.check(db, migrator, at: path), try migrator.hasCompletedMigrations(db) else {
                throw StateDatabaseError.unusable(path: path, cause: "\(obstacle)")
            }
            return try Self.fetch(db, journal, now)
        }
        self.obstacle = obstacle
        restoration = nil
    }

    private static var configuration: GRDB.Configuration {
        .careful("state")
    }

    private static func fetch(
        _ db: Database, _ journal: JournalPolicy, _ now: Timestamp
    ) throws -> (contents: Archive.Contents, memory: Memory?, numbers: JournalNumbers) {
        let memory = Memory.fetch(db)
        let contents = Archive.Contents(
            pairings: try Pairing.fetchAll(db, at: now),
            scenes: try Scene.fetchAll(db),
            sceneOrders: try SceneOrder.fetchAll(db),
            dashboard: try Dashboard.fetch(db),
            followings: try Following.fetchAll(db),
            curves: try Curve.fetchAll(db),
            memory: memory ?? Memory(),
            automations: AutomationState(
                try Automation.fetchAll(db), try AutomationState.Memory.fetch(db) ?? AutomationState.Memory()),
            tokens: try AccessToken.fetchAll(db),
            bindings: try SwitchBinding.fetchAll(db),
            presence: try PresenceReplay.fetch(db)
        )
        let numbers = JournalNumbers(
            entries: NumberSequence(.entry, raisedFrom: try NumberSequence.fetchCeiling(.entry, db)),
            tickets: .tickets(raisedFrom: try NumberSequence.fetchCeiling(.ticket, db), journal: journal))
        return (contents, memory, numbers)
    }

    /// Returns whether the database is empty.
    ///
    /// - Throws: if it belongs to another program, is damaged, or was written by a newer lightd.
    private static func check(_ db: Database, _ migrator: DatabaseMigrator, at path: String) throws -> Bool {
        let owner = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let isBlank = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
        guard owner == Schema.applicationID || (owner == 0 && isBlank) else {
            throw StateDatabaseError.foreign(path: path)
        }
        if let flaw = try DatabaseInspection.flawInArchive(db) {
            throw StateDatabaseError.damaged(path: path, detail: flaw)
        }
        if try migrator.hasBeenSuperseded(db) { throw StateDatabaseError.newer(path: path) }
        return isBlank
    }
}

extension StateDatabaseError {
    /// What prevents writing for now, although reading may be possible; `nil` if lightd must not use the database.
    fileprivate var obstacle: PersistenceError? {
        switch self {
        case let .notWritable(path, cause): .database("cannot write '\(path)' (\(cause))")
        case let .unusable(path: _, cause): .database(cause)
        case .belongsToOthers, .inUse, .foreign, .damaged, .newer: nil
        }
    }
}

extension String {
    /// A path in SQLite's form of a URI (https://www.sqlite.org/uri.html, section 3.1).
    fileprivate var escapedForURI: String {
        replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }
}
