import GRDB

/// Numbers that are given out once, over all starts, although giving one out writes nothing: an upper bound for all of
/// them is saved before, in blocks.
///
/// A start after a kill begins above the block in use, so that numbers are skipped rather than given again. What is
/// given out while the disk accepts nothing is covered up to the end of the block.
struct NumberSequence: Equatable, Sendable {
    /// What is numbered: also the name of the bound's row.
    enum Name: String { case ticket, entry }

    private let name: Name
    private(set) var ceiling: Int64
    private let block: Int64

    /// Begins a new block above the saved ceiling.
    ///
    /// - Parameter block: how many numbers one save covers.
    init(_ name: Name, raisedFrom ceiling: Int64, block: Int64 = defaultBlock) {
        self.name = name
        self.block = block
        self.ceiling = min(ceiling, .max - block) + block
    }

    /// Those of commands. With a journal, each batch raises the ceiling as needed. Without one only a start raises it:
    /// a block then lasts thirteen years at ten commands a second, and after two million starts the numbers are still
    /// exact in every JSON reader.
    static func tickets(raisedFrom ceiling: Int64, journal: JournalPolicy) -> Self {
        let block: Int64 = if case .off = journal { 1 << 32 } else { defaultBlock }
        return Self(.ticket, raisedFrom: ceiling, block: block)
    }

    private static let defaultBlock: Int64 = 100_000

    /// The number before the first one of the current block.
    var floor: Int64 { ceiling - block }

    /// The sequence after `number` was given out. Raises the ceiling once half of the block is used.
    func covering(_ number: Int64) -> Self {
        number > ceiling - block / 2 ? with(min(number, .max - block) + block) : self
    }

    /// The sequence if `number` was the last one: the next start goes on after it.
    func ended(at number: Int64) -> Self { with(number) }

    private func with(_ ceiling: Int64) -> Self {
        var sequence = self
        sequence.ceiling = ceiling
        return sequence
    }

    static func fetchCeiling(_ name: Name, _ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT value FROM mark WHERE name = ?", arguments: [name.rawValue]) ?? 0
    }

    func save(_ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO mark (name, value) VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """,
            arguments: [name.rawValue, ceiling]
        )
    }
}
