import Lighting
import Synchronization

/// One list of the journal, which is read in slices until there are enough entries or somebody says that nobody waits for
/// it any more.
final class JournalReading: Sendable {
    /// The database that is read holds others up for no longer than this many entries take.
    static let slice = 256

    private struct Progress {
        /// The newest first.
        var entries: [Journal.Entry] = []
        let floor: Int64
        /// What comes before this is still to be read; `nil` at the end.
        var end: Int64?
    }

    private let filter: Journal.Filter
    private let isWithdrawn = Mutex(false)
    /// Only of the database's queue; `nil` until it begins.
    private let progress = Mutex<Progress?>(nil)

    init(_ filter: Journal.Filter) { self.filter = filter }

    @Sendable func withdraw() { isWithdrawn.withLock { $0 = true } }

    /// Reads a slice more.
    ///
    /// - Returns: the entries, oldest first; `nil` if some are still to be read.
    /// - Throws: if it was withdrawn.
    func advance(
        begin: (Journal.Filter) throws -> (entries: [Journal.Entry], floor: Int64, end: Int64),
        fetch: (Journal.Filter, _ limit: Int, _ floor: Int64, _ end: Int64) throws -> ([Journal.Entry], next: Int64?)
    ) throws -> [Journal.Entry]? {
        if isWithdrawn.withLock(\.self) { throw Failure.invalid("nobody waits for it any more") }
        return try progress.withLock { progress in
            let limit = max(filter.limit, 0)
            guard var now = progress else {
                let (recent, floor, end) = try begin(filter)
                let isEnough = recent.count >= limit
                progress = Progress(
                    entries: Array(recent.prefix(limit)), floor: floor,
                    end: isEnough ? nil : min(end, filter.before ?? .max))
                return isEnough ? progress?.entries.reversed() : nil
            }
            if let end = now.end {
                let (entries, next) = try fetch(filter, limit - now.entries.count, now.floor, end)
                now.entries += entries
                now.end = now.entries.count < limit ? next : nil
            }
            // Not copied while it grows.
            progress = nil
            defer { progress = now }
            return now.end == nil ? now.entries.reversed() : nil
        }
    }
}
