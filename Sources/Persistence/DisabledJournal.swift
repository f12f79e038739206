import GRDB
import Lighting

/// The journal when `journal.enabled` is false: records nothing. Entries from earlier runs can still be pruned.
struct DisabledJournal: Sendable {
    let database: SerialDatabase

    var journal: Journal {
        Journal(
            append: { _, _, _ in },
            list: { _, reply in
                reply(.success([]))
                return {}
            },
            prune: { time, reply in
                database.perform { db in
                    try db.writeJournal { try Journal.Entry.delete(before: time, db) }
                } then: { result in
                    reply(result.outcome)
                }
            }
        )
    }
}
