import FoundationEssentials
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

/// Finds in the text of a message, without decoding it, whether it may have one of the ids of a subject.
struct JournalMentions {
    /// The ids as JSON writes them, each up to the first escape in its resource.
    private let ids: Set<String>

    init(_ subject: Journal.Subject) throws {
        let all =
            subject.lights.map(\.description) + subject.rooms.map(\.description) + subject.scenes.map(\.description)
            + subject.sensors.map(\.description)
        let encoder = JSONEncoder()
        ids = Set(
            try all.compactMap { id in
                try encoder.encode(id).withUnsafeBytes { bytes in
                    bytes.withMemoryRebound(to: UInt8.self) { bytes in
                        bytes.firstIndex(of: Self.escape).map { Self.id(around: $0, in: bytes) }
                    }
                }
            })
    }

    /// Whether the text has one of the ids; it may also be that it only begins like one, or that a name looks like one.
    func mayBe(in text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = bytes[...]
            while let slash = rest.firstIndex(of: Self.escape) {
                if ids.contains(Self.id(around: slash, in: bytes)) { return true }
                rest = bytes[min(slash + 2, bytes.endIndex)...]
            }
            return false
        }
    }

    private static let escape = UInt8(ascii: "\\")

    /// The text from the quote before this escape to the quote or escape after it: JSON writes the slash between a bridge
    /// and a resource as an escape.
    private static func id(around slash: Int, in bytes: UnsafeBufferPointer<UInt8>) -> String {
        let quote = UInt8(ascii: "\"")
        let start = bytes[..<slash].lastIndex(of: quote).map { $0 + 1 } ?? 0
        let rest = bytes[min(slash + 2, bytes.endIndex)...]
        let end = rest.firstIndex { $0 == quote || $0 == escape } ?? bytes.endIndex
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
