import Executors
import GRDB
public import Lighting
public import Logging
public import ServiceLifecycle

/// The archive and the journal in one SQLite database, used by one daemon at a time.
///
/// As a service it writes the journal's batches, and what could not be written when it came. Shut it down after
/// everything that uses the archive or the journal: it then writes the remaining entries and unlocks the directory.
public final class StateDatabase: Service {
    /// The archive as it was when the database was opened. None of its bridges is connected.
    public let contents: Archive.Contents
    /// Greater than every ticket number ever given out with this directory, with or without a journal.
    public let nextTicketNumber: UInt64
    public let archive: Archive
    public let tokens: TokenArchive
    public let accessLog: AccessLog
    public let journal: Journal
    /// What a person should know of the state with which lightd began.
    private let openingWarnings: [String]
    /// What came of a backup that was to be restored; `nil` if there was none.
    public let restoration: Restoration?

    let database: SerialDatabase
    let directory: String
    let stateDirectory: StateDirectory
    let closedConnections: ClosedConnections
    /// The database's file.
    private let path: String
    private let inspection: DatabaseInspection
    private let archiveStore: ArchiveStore
    private let accessLogStore: AccessLogStore
    /// `nil` if the journal is off.
    let journalStore: JournalStore?
    private let memoryStore: MemoryStore
    private let health: WriteHealth
    private let logger: Logger

    /// What a person should know of the state, each as one sentence.
    public var warnings: [String] {
        openingWarnings + (health.trouble.map { ["what changes now is not kept, because \($0)"] } ?? [])
    }

    /// Opens the database in `directory` and locks it against other processes. Creates both if they are missing.
    ///
    /// Checks only the archive before it returns, which is small: ``run()`` checks the journal, whose size must not
    /// delay a start. If the disk is full or read-only, what was saved is read, and ``run()`` tries to write.
    ///
    /// - Parameter clock: gives the time since which the stored bridges count as lost.
    /// A damaged database is set aside, and what can be read of it goes into a new one: a home must not stay dark for
    /// it. One of another program, or of a newer lightd, is not: it is not damaged, and lightd was sent to the wrong place.
    ///
    /// - Throws: why the database cannot be used. An existing file is never deleted or replaced.
    public static func open(
        directory: String, journal: JournalPolicy, clock: Clock, logger: Logger
    ) throws(StateDatabaseError) -> StateDatabase {
        try StateDatabase(directory, journal, clock, logger, bufferCapacity: 10_000)
    }

    /// - Parameters:
    ///   - bufferCapacity: the maximum number of entries in memory while the disk accepts none.
    ///   - sleep: waits between the journal's batches.
    init(
        _ path: String, _ policy: JournalPolicy, _ clock: Clock, _ logger: Logger, bufferCapacity: Int,
        sleep: @escaping @Sendable (Duration) async throws -> Void = QueueTimer.sleep(for:)
    ) throws(StateDatabaseError) {
        let directory = try StateDirectory(path)
        let opening = OpenedDatabase.Opening(
            directory: directory, journal: policy, clock: clock, closed: ClosedConnections())
        let opened = try Self.opened(opening, logger)
        self.logger = logger
        restoration = opened.restoration
        var warnings = directory.damagedDatabases.map { Self.warning(ofDamaged: $0) }
        switch opened.restoration {
        case .done: logger.notice("a backup was restored")
        case let .failed(reason):
            logger.error("the backup was not restored; lightd goes on as before", metadata: ["because": "\(reason)"])
            warnings.append("the backup was not restored: \(reason)")
        case nil: break
        }
        if directory.hasLostDatabase, warnings.isEmpty, opened.restoration == nil {
            let warning = Self.warning(ofLost: directory.database)
            logger.warning("\(warning)")
            warnings.append(warning)
        }
        openingWarnings = warnings
        contents = opened.contents
        nextTicketNumber = UInt64(clamping: opened.numbers.tickets.floor + 1)
        database = SerialDatabase(opened, by: opening)
        self.directory = path
        stateDirectory = directory
        closedConnections = opening.closed
        self.path = directory.database
        inspection = DatabaseInspection(path: directory.database, closed: opening.closed)
        let health = WriteHealth(logger: logger)
        self.health = health
        let memoryStore = MemoryStore(saved: opened.memory)
        self.memoryStore = memoryStore
        switch policy {
        case .off:
            journalStore = nil
            journal = DisabledJournal(database: database).journal
            archiveStore = ArchiveStore(database, health: health, remember: memoryStore.remember)
        case let .on(entries: entries, bytes: bytes, flush: interval):
            let journalStore = JournalStore(
                database, bounds: JournalBounds(entries: entries, bytes: bytes), flush: interval,
                numbers: opened.numbers, capacity: bufferCapacity, memory: memoryStore, health: health, logger: logger,
                sleep: sleep
            )
            self.journalStore = journalStore
            journal = journalStore.journal
            archiveStore = ArchiveStore(database, health: health, remember: journalStore.remember)
        }
        archive = archiveStore.archive
        tokens = TokenStore(database: database, archiveStore: archiveStore).archive
        accessLogStore = AccessLogStore(database, report: archiveStore.note) { lost in
            logger.error(
                "the access log could not be written for too long; its oldest events are only in this log",
                metadata: ["lost": "\(lost)"])
        }
        accessLog = accessLogStore.log
        if let obstacle = opened.obstacle { archiveStore.note(obstacle) }
    }

    private static func opened(
        _ opening: OpenedDatabase.Opening, _ logger: Logger
    ) throws(StateDatabaseError) -> OpenedDatabase {
        let damage: StateDatabaseError
        do throws(StateDatabaseError) {
            try opening.directory.undoSalvage()
            return try opening.forWritingOrReading(.start)
        } catch {
            guard case .damaged = error else { throw error }
            damage = error
        }
        let path: String
        do throws(StateDatabaseError) {
            path = try opening.directory.setAside(at: opening.clock.now().forFileName)
        } catch {
            // The damage matters more than why the file cannot be renamed.
            throw damage
        }
        let salvaged = SalvagedState(from: path, closed: opening.closed)
        let opened: OpenedDatabase
        do throws(StateDatabaseError) {
            opened = try opening.forWritingOrReading(.anew(salvaged))
        } catch {
            // As on a full disk. What could be saved must not be lost: the next start tries again.
            try opening.directory.undoSalvage()
            throw damage
        }
        try opening.directory.endSalvage()
        logger.error(
            "the database was damaged and is set aside; lightd goes on with what could be saved of it",
            metadata: [
                "because": "\(damage.detail)", "database": "\(path)", "bridges": "\(opened.contents.pairings.count)",
                "automations": "\(opened.contents.automations.all.count)", "tokens": "\(opened.contents.tokens.count)",
            ])
        return opened
    }

    private static func warning(ofLost path: String) -> String {
        "the database '\(path)' was gone or empty, although lightd has run before: if bridges were paired, restore a backup "
            + "('lightctl restore FILE') or pair them again"
    }

    static func warning(ofDamaged path: String) -> String {
        "a damaged database was set aside as '\(path)'; restore a backup ('lightctl restore FILE') or pair and set up what "
            + "is missing, then delete it: it may hold keys"
    }

    /// Writes the journal until shut down or cancelled, then writes the remaining entries and closes.
    public func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { tasks in
                tasks.addTask { [self] in
                    // The start comes first. Cancelled: the next run maintains it.
                    guard (try? await QueueTimer.sleep(for: Self.restBeforeMaintenance)) != nil else { return }
                    await maintain()
                }
                tasks.addTask { [self] in await archiveStore.run() }
                tasks.addTask { [self] in await accessLogStore.run() }
                if let journalStore {
                    await journalStore.run()
                } else {
                    // Only cancellation ends this, which is not an error.
                    try? await gracefulShutdown()
                }
                tasks.cancelAll()
            }
        }
        await close()
    }

    /// Changes how much of the journal is kept, and how often it is written. Whether there is a journal is decided when
    /// the database is opened.
    public func apply(_ policy: JournalPolicy) {
        guard case let .on(entries: entries, bytes: bytes, flush: interval) = policy else { return }
        journalStore?.apply(bounds: JournalBounds(entries: entries, bytes: bytes), flush: interval)
    }

    private static let restBeforeMaintenance = Duration.seconds(5)

    /// Does what would delay a start: brings the journal within its bounds and checks the whole file. Damage in the
    /// journal ends the journal so far, damage in the archive is only reported.
    func maintain(pause: Duration = .milliseconds(50)) async {
        guard database.isWritable else { return }  // The next start maintains it.
        if stateDirectory.hasLeftLog,
            case .failure = await database.perform({ try $0.emptyLog() })
        {
            archiveStore.emptyLog()
        }
        var obstacle: PersistenceError?
        do { try await journalStore?.shrink(pause: pause) } catch { obstacle = error }
        guard let flaw = await inspection.flaw() else {
            if let obstacle {
                // Deleting needs space too. The next start tries again.
                logger.warning("the journal could not be shortened", metadata: ["because": "\(obstacle)"])
            }
            return
        }
        if !flaw.isInArchive, case .success = await database.perform({ try DatabaseInspection.replaceJournal($0) }) {
            memoryStore.forgetSaved()
            logger.error(
                "the journal was damaged and begins anew; bridges, scenes and the dashboard are not affected",
                metadata: ["because": "\(flaw.detail)", "database": "\(path)"])
        } else {
            logger.error("\(StateDatabaseError.damaged(path: path, detail: flaw.detail))")
        }
    }

    /// Writes the buffered entries now.
    public func flush() async {
        await journalStore?.flush()
    }

    private func saveMemory() async {
        let result = await database.perform { [memoryStore] db in
            var remembered: MemoryStore.Batch?
            try db.inTransaction(.immediate) {
                remembered = try memoryStore.save(db)
                return .commit
            }
            memoryStore.noteSaved(remembered)
        }
        if case let .failure(.database(cause)) = result {
            logger.error("which commands can be undone could not be saved", metadata: ["because": "\(cause)"])
        }
    }

    /// Tries now to write what could not be written before.
    func saveUnsaved() async {
        await archiveStore.finish()
    }

    /// Writes now what the archive could not write.
    func recover() async {
        await archiveStore.recover()
    }

    /// Writes the buffered entries, closes the database and unlocks the directory. Later requests fail.
    func close() async {
        await archiveStore.finish()
        await accessLogStore.flush()
        if let journalStore { await journalStore.finish() } else { await saveMemory() }
        if let lost = journalStore?.unsavedCount, lost > 0 {
            logger.error("the journal could not be written; entries are lost", metadata: ["count": "\(lost)"])
        }
        do {
            try database.close()
        } catch {
            logger.error("the database could not be closed", metadata: ["because": "\(error)"])
        }
    }
}
