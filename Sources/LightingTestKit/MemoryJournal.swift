public import Lighting
import Synchronization

/// A journal in memory.
public final class MemoryJournal: Sendable {
    private let rows = Mutex<[Journal.Entry]>([])

    public init() {}

    public var entries: [Journal.Entry] { rows.withLock { $0 } }

    public var journal: Journal {
        Journal(
            append: { message, names, time in
                self.rows.withLock { rows in
                    let number = (rows.last?.number ?? 0) + 1
                    rows.append(Journal.Entry(number: number, time: time, message: message, names: names))
                }
            },
            list: { filter, reply in
                let entries = self.entries.filter { $0.matches(filter) }
                reply(.success(Array(entries.suffix(filter.limit))))
                return {}
            },
            prune: { time, reply in
                self.rows.withLock { $0.removeAll { $0.time < time } }
                reply(.succeeded)
            }
        )
    }
}
