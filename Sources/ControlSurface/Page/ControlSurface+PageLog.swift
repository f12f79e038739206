import ControlProtocol
import Khipu
import Languages
public import Lighting

/// What somebody wants to see of the log.
public struct PageLogQuery: Sendable {
    /// `nil` for everything.
    public let subject: Journal.Subject?
    public let scope: PageLogScope
    public let reader: PageReader

    public init(_ subject: Journal.Subject?, _ scope: PageLogScope, for reader: PageReader) {
        (self.subject, self.scope, self.reader) = (subject, scope, reader)
    }
}

extension ControlSurface {
    /// The newest lines, or those before an entry's number.
    public func pageLog(
        _ query: PageLogQuery, before number: Int64? = nil, from client: String
    ) async throws -> PageLogPage {
        var reading = PageLogReading(query, self, for: client)
        return try await reading.page(before: number)
    }

    /// The newest lines, to be followed.
    public func followPageLog(_ query: PageLogQuery, from client: String) -> PageLogReading {
        PageLogReading(query, self, for: client)
    }
}

/// Reads the log for one reader. However long the journal is, one page of it costs no more than ``longest`` entries that
/// are looked at and ``most`` that are worded: what is not found there is found from the next page on.
public struct PageLogReading: Sendable {
    private let query: PageLogQuery
    private let surface: ControlSurface
    private let client: String
    private var log: PageLog
    /// The number of the newest entry that was looked at.
    private var last: Int64 = 0

    static let longest: Int64 = 10_000
    static let most = 2_000
    static let atOnce = 400
    /// So many lines are a page.
    static let fewestLines = 40

    init(_ query: PageLogQuery, _ surface: ControlSurface, for client: String) {
        (self.query, self.surface, self.client) = (query, surface, client)
        log = PageLog(in: query.reader.language, query.scope)
    }

    /// The page that a follower begins with, or an older one.
    public mutating func page(before number: Int64? = nil) async throws -> PageLogPage {
        let newest = try await entries(limit: 1).last?.number ?? 0
        let end = min(number ?? .max, newest + 1)
        let floor = max(end - Self.longest - 1, 0)
        var found: [Journal.Entry] = []
        var next: Int64? = end
        while let before = next, found.count < Self.most {
            let batch = try await entries(of: query.subject, after: floor, before: before, limit: Self.atOnce)
            found = batch + found
            log = PageLog(in: query.reader.language, query.scope)
            log.take(try await withBeginnings(found), in: surface.directory)
            next = batch.count < Self.atOnce ? nil : batch.first?.number
            if log.lines.count >= Self.fewestLines { break }
        }
        last = newest
        _ = log.changes()
        let rest = next ?? floor + 1
        let isMore = try await !entries(before: rest, limit: 1).isEmpty
        return PageLogPage(lines: log.lines, before: isMore ? rest : nil)
    }

    /// What has changed since, for a follower; `nil` if nothing has.
    ///
    /// - Throws: ``PageLogMissed`` if so much has that the page is to be read anew.
    public mutating func changes() async throws -> PageLogChange? {
        let newest = try await entries(after: last, limit: 1).last?.number
        guard let newest else { return nil }
        let entries = try await entries(of: query.subject, after: last, before: newest + 1, limit: Self.most)
        guard entries.count < Self.most else { throw PageLogMissed() }
        last = newest
        log.take(try await withBeginnings(entries), in: surface.directory)
        let changes = log.changes()
        return changes.lines.isEmpty && changes.gone.isEmpty ? nil : changes
    }

    /// With what has started the runs whose commands are among them: of a lamp that is told nowhere else.
    private func withBeginnings(_ found: [Journal.Entry]) async throws -> [Journal.Entry] {
        let runs = Set(found.compactMap(\.message.ticket.gesture))
        guard query.subject != nil, !runs.isEmpty, let first = found.first, let last = found.last else { return found }
        let automations = try await surface.entries(
            Journal.Filter(
                after: max(first.number - Self.longestBeginning, 0), before: last.number, feature: .automations,
                limit: Self.atOnce), for: client)
        let begun = automations.filter { entry in
            guard case let .automations(.started(_, named: _, run: run, _), _) = entry.message else { return false }
            return runs.contains("run \(run)")
        }
        return (begun + found).sorted { $0.number < $1.number }
    }

    /// So many entries after a run has begun its first command is found.
    private static let longestBeginning: Int64 = 200

    private func entries(
        of subject: Journal.Subject? = nil, after: Int64? = nil, before: Int64? = nil, limit: Int
    ) async throws -> [Journal.Entry] {
        try await surface.entries(
            Journal.Filter(after: after, before: before, subject: subject, limit: limit), for: client)
    }
}

/// More has happened than a follower is told at once.
public struct PageLogMissed: Error {}
