/// Whether messages are recorded.
public enum JournalPolicy: Equatable, Sendable {
    /// Records nothing. The database is not written while only lights change; what is remembered of them, at the end.
    case off
    /// - Parameters:
    ///   - entries: the maximum number kept; the oldest are deleted first.
    ///   - bytes: the maximum size of the database, which also holds some kilobytes besides the journal. It is
    ///     exceeded only by what is being written, and after an update by a journal that is not shortened yet.
    ///   - flush: how long an entry may stay in memory before it is written.
    case on(entries: Int, bytes: Int, flush: Duration)
}
