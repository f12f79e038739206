/// How much of the journal is kept.
struct JournalBounds: Equatable, Sendable {
    let entries: Int
    /// The size of the database without its unused pages.
    let bytes: Int

    init(entries: Int, bytes: Int) {
        self.entries = max(entries, 0)
        self.bytes = max(bytes, 0)
    }

    /// Entries up to this place are too many.
    func floor(after last: Int64) -> Int64 { last - Int64(entries) }
}
