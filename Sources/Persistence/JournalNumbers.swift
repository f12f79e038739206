import GRDB

/// The sequences whose numbers are in the journal, and are saved with its batches.
struct JournalNumbers: Equatable, Sendable {
    var entries: NumberSequence
    var tickets: NumberSequence

    func covering(_ buffer: JournalBuffer) -> Self {
        Self(
            entries: entries.covering(buffer.lastNumber),
            tickets: tickets.covering(Int64(clamping: buffer.highestTicket)))
    }

    /// If no entry comes after those in the buffer. Whether a command comes is not known.
    func ended(by buffer: JournalBuffer) -> Self {
        Self(entries: entries.ended(at: buffer.lastNumber), tickets: covering(buffer).tickets)
    }

    func save(over saved: Self, _ db: Database) throws {
        if entries != saved.entries { try entries.save(db) }
        if tickets != saved.tickets { try tickets.save(db) }
    }
}
