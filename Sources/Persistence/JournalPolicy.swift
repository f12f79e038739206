/// Whether messages are recorded.
public enum JournalPolicy: Equatable, Sendable {
    /// Records nothing. The database is not written while only lights change.
    case off
    /// - Parameters:
    ///   - entries: the maximum number kept; the oldest are deleted first.
    ///   - flush: how long an entry may stay in memory before it is written.
    case on(entries: Int, flush: Duration)
}
