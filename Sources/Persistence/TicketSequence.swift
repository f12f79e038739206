import GRDB
import Lighting

/// An upper bound for every ticket number given out so far, saved in blocks so that giving out one number writes
/// nothing.
struct TicketSequence: Equatable, Sendable {
    private(set) var ceiling: Int64
    private let block: Int64

    /// Begins a new block above the saved ceiling.
    ///
    /// With a journal, each batch raises the ceiling as needed. Without one only a start raises it: a block then lasts
    /// thirteen years at ten commands a second, and after two million starts the numbers are still exact in every JSON
    /// reader.
    init(raisedFrom ceiling: Int64, journal: JournalPolicy) {
        block = if case .off = journal { 1 << 32 } else { 100_000 }
        self.ceiling = min(ceiling, .max - block) + block
    }

    /// The first number of the current block.
    var firstNumber: UInt64 { UInt64(clamping: ceiling - block + 1) }

    /// The sequence after `number` was given out. Raises the ceiling once half of the block is used.
    func covering(_ number: UInt64) -> Self {
        let number = Int64(clamping: number)
        guard number > ceiling - block / 2 else { return self }
        var tickets = self
        tickets.ceiling = min(number, .max - block) + block
        return tickets
    }

    static func fetchCeiling(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT value FROM mark WHERE name = 'ticket'") ?? 0
    }

    func save(_ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO mark (name, value) VALUES ('ticket', ?)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """,
            arguments: [ceiling]
        )
    }
}
