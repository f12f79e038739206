import GRDB
import Lighting

/// The number above which no ticket was ever given, kept ahead of the numbers in blocks, so that giving one writes nothing.
struct TicketMark: Equatable, Sendable {
    private(set) var ceiling: Int64
    private let block: Int64

    /// With a journal the mark is moved on along with its batches. Without one it is only moved at a start, and its block lasts
    /// thirteen years at ten commands a second; two million starts later numbers are still exact in every JSON reader.
    init(raisedFrom ceiling: Int64, journal: JournalPolicy) {
        block = if case .off = journal { 1 << 32 } else { 100_000 }
        self.ceiling = min(ceiling, .max - block) + block
    }

    /// The first number that may be given after this mark was made.
    var firstNumber: UInt64 { UInt64(clamping: ceiling - block + 1) }

    /// The mark once this number was given; moves on when half of the block is used.
    func covering(_ number: UInt64) -> Self {
        let number = Int64(clamping: number)
        guard number > ceiling - block / 2 else { return self }
        var mark = self
        mark.ceiling = min(number, .max - block) + block
        return mark
    }

    static func fetchCeiling(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT value FROM mark WHERE name = 'ticket'") ?? 0
    }

    func save(_ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO mark (name, value) VALUES ('ticket', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """,
            arguments: [ceiling]
        )
    }
}
