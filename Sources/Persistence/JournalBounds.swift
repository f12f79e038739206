/// How much of the journal is kept.
struct JournalBounds: Equatable, Sendable {
    let entries: Int64
    /// The size of the database without its unused pages.
    let bytes: Int

    init(entries: Int, bytes: Int) {
        self.entries = Int64(max(entries, 0))
        self.bytes = max(bytes, 0)
    }

    /// Entries up to this number are too many.
    func floor(after last: Int64) -> Int64 { last - entries }
}
