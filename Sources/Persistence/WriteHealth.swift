import Logging
import Synchronization

/// Says once in the log that the database cannot be written, whoever finds out first, and once that it can be again.
final class WriteHealth: Sendable {
    enum Writer: Hashable, Sendable { case archive, journal }

    private let logger: Logger
    private let failing = Mutex<[Writer: String]>([:])

    init(logger: Logger) {
        self.logger = logger
    }

    /// Why the database cannot be written at present; `nil` if nothing is known that prevents it.
    var trouble: String? { failing.withLock { $0[.archive] ?? $0[.journal] } }

    /// Only a failure of the database counts, not a request that was refused or came too late.
    func failed(_ writer: Writer, _ error: PersistenceError) {
        guard case let .database(cause) = error else { return }
        let isFirst = failing.withLock { failing in
            defer { failing[writer] = "\(cause)" }
            return failing.isEmpty
        }
        if isFirst {
            logger.error(
                "the database cannot be written; lights go on working, and lightd tries again",
                metadata: ["because": "\(cause)"])
        }
    }

    /// - Parameter lost: the journal entries that were dropped meanwhile.
    func succeeded(_ writer: Writer, lost: Int = 0) {
        let isLast = failing.withLock { failing in failing.removeValue(forKey: writer) != nil && failing.isEmpty }
        if isLast || lost > 0 {
            logger.notice("the database is written again", metadata: ["lost": "\(lost)"])
        }
    }
}
