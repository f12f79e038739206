/// Whether messages are recorded.
public enum JournalPolicy: Equatable, Sendable {
    /// Nothing is recorded, and nothing is written while only lights change.
    case off
    /// - Parameters:
    ///   - entries: how many are held at most; the oldest go first.
    ///   - flush: how long an entry may wait in memory before it is written.
    case on(entries: Int, flush: Duration)
}
