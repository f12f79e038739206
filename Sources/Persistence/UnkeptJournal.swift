import GRDB
import Lighting

/// The journal of somebody who wants none. What an earlier one left can still be pruned.
struct UnkeptJournal: Sendable {
    let desk: Desk

    var journal: Journal {
        Journal(
            append: { _, _ in },
            list: { _, reply in reply(.success([])) },
            prune: { time, reply in
                desk.post { db in
                    try Journal.Entry.delete(before: time, db)
                } then: { result in
                    switch result {
                    case .success: reply(.succeeded)
                    case let .failure(obstacle): reply(.failed(obstacle.failure))
                    }
                }
            }
        )
    }
}
