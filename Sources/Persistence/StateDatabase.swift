import GRDB
public import Lighting
public import Logging
public import ServiceLifecycle

/// What survives: the archive and the journal, in one SQLite database that belongs to one daemon.
///
/// As a service it writes the journal's batches. It is to end after everybody who uses the archive or the journal: it writes the
/// rest then, and lets go of the directory.
public final class StateDatabase: Service {
    /// What was kept when the database was opened. No bridge in it is connected.
    public let contents: Archive.Contents
    /// Above every number that was given to a ticket under this directory, with or without a journal.
    public let nextTicketNumber: UInt64
    public let archive: Archive
    public let journal: Journal

    private let desk: Desk
    /// `nil` where nothing is recorded.
    private let book: JournalBook?
    private let logger: Logger

    /// Opens the database in `directory`, making both where they are missing, and locks it against other processes.
    ///
    /// Blocks while SQLite checks the whole file (`PRAGMA quick_check`).
    ///
    /// - Parameters:
    ///   - clock: tells since when the kept bridges are not connected.
    /// - Throws: why it cannot be used. Nothing that is there is ever deleted or begun anew.
    public static func open(
        directory: String, journal: JournalPolicy, clock: Clock, logger: Logger
    ) throws(StateDatabaseError) -> StateDatabase {
        try StateDatabase(directory, journal, clock, logger, bufferCapacity: 10_000)
    }

    /// - Parameters:
    ///   - bufferCapacity: how many entries wait in memory at most, where the disk takes none.
    init(
        _ path: String, _ policy: JournalPolicy, _ clock: Clock, _ logger: Logger, bufferCapacity: Int
    ) throws(StateDatabaseError) {
        let directory = try StateDirectory(path)
        let opened: OpenedDatabase
        do {
            opened = try OpenedDatabase(at: directory.database, journal: policy, now: clock.now())
        } catch let error as StateDatabaseError {
            throw error
        } catch let error as DatabaseError {
            throw error.asObstacle(at: directory.database)
        } catch {
            throw .damaged(path: directory.database, detail: (error as? Damage)?.detail ?? "\(error)")
        }
        self.logger = logger
        contents = opened.contents
        nextTicketNumber = opened.mark.firstNumber
        desk = Desk(opened.queue, in: directory)
        archive = ArchiveBook(desk: desk).archive
        switch policy {
        case .off:
            book = nil
            journal = UnkeptJournal(desk: desk).journal
        case let .on(entries: entries, flush: interval):
            let book = JournalBook(
                desk, entries: entries, flush: interval, after: opened.lastEntry, mark: opened.mark,
                capacity: bufferCapacity, logger: logger
            )
            self.book = book
            journal = book.journal
        }
    }

    /// Writes the journal until it is shut down or cancelled, then the rest, and closes.
    public func run() async throws {
        await cancelWhenGracefulShutdown { [book] in
            if let book {
                await book.run()
            } else {
                // Cancellation is the only way out, and what is awaited.
                try? await gracefulShutdown()
            }
        }
        await close()
    }

    /// Writes what waits in memory now.
    public func flush() async {
        await book?.flush()
    }

    /// Writes what waits and lets go of the database and the directory. What is asked later fails.
    func close() async {
        await flush()
        if let lost = book?.unsavedCount, lost > 0 {
            logger.error("entries of the journal were lost: it could not be written", metadata: ["count": "\(lost)"])
        }
        do {
            try desk.close()
        } catch {
            logger.error("the database could not be closed", metadata: ["because": "\(error)"])
        }
    }
}
