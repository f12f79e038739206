import GRDB
import Lighting

/// The access tokens on the database. A change it has confirmed survives a power failure.
struct TokenStore {
    let database: SerialDatabase
    let archiveStore: ArchiveStore

    var archive: TokenArchive {
        TokenArchive(
            keep: { token, reply in
                perform({ db in try db.writeDurably { try token.insert(db) } }, then: reply)
            },
            change: { tokens, reply in
                perform({ db in try db.writeDurably { for token in tokens { try token.update(db) } } }, then: reply)
            },
            drop: { digests, reply in
                perform({ db in try archiveStore.erase(db) { try AccessToken.delete(digests, db) } }, then: reply)
            },
            // Not synced, to spare an SD card: what a power failure takes is a note.
            note: { name, lastUsed in
                perform({ try AccessToken.note(name, lastUsed, $0) }, then: { _ in })
            }
        )
    }

    private func perform(_ write: @escaping @Sendable (Database) throws -> Void, then reply: @escaping Reply<Outcome>) {
        database.perform(write) { result in
            if case let .failure(error) = result { archiveStore.note(error) }
            reply(result.outcome)
        }
    }
}
