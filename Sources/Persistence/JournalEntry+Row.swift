import FoundationEssentials
import GRDB
import Khipu
import Lighting

extension Journal.Entry {
    /// The place of the newest entry (``Schema/place``).
    static func fetchLastPlace(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT number - skipped FROM journal ORDER BY number DESC LIMIT 1") ?? 0
    }

    /// How many entries there are, told from the first and the last one.
    static func fetchCount(_ db: Database) throws -> Int64 {
        guard let first = try Int64.fetchOne(db, sql: "SELECT number - skipped FROM journal ORDER BY number LIMIT 1")
        else { return 0 }
        return try fetchLastPlace(db) - first + 1
    }

    /// Returns the size of the messages and their names in bytes.
    static func insert(_ entries: some Sequence<Self>, _ db: Database) throws -> Int {
        let insert = try db.makeStatement(
            sql: """
                INSERT INTO journal (number, time, feature, ticket, message, names, skipped) VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        )
        var place = try fetchLastPlace(db)
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .inWords
        var bytes = 0
        for entry in entries {
            let message = String(decoding: try encoder.encode(entry.message), as: UTF8.self)
            let names = entry.names.isEmpty ? nil : String(decoding: try encoder.encode(entry.names), as: UTF8.self)
            bytes += message.utf8.count + (names?.utf8.count ?? 0)
            place += 1
            try insert.execute(
                arguments: [
                    entry.number, entry.time.milliseconds, entry.message.feature.rawValue,
                    Int64(clamping: entry.message.ticket.number), message, names, entry.number - place,
                ]
            )
        }
        return bytes
    }

    /// Deletes the oldest entries that are not within the bounds, but only about `quota` bytes of them, so that a
    /// journal far beyond its bounds delays nobody. Keeps what they say of how people light their home.
    ///
    /// Returns whether the journal is within the bounds now.
    static func trim(to bounds: JournalBounds, quota: Int, _ db: Database) throws -> Bool {
        let floor = bounds.floor(after: try fetchLastPlace(db))
        var rest = quota
        while rest > 0 {
            var excess = try DatabaseSize.fetch(db).used - bounds.bytes
            // The access log and what is kept for `away` have bounds of their own: they do not push out the journal. To
            // know their size is to read them, which is only done if it matters.
            if excess > 0 { excess -= try AccessEvent.size(db) + UsageTally.size(db) }
            guard let oldest = try oldest(through: floor, orWorth: excess, atMost: rest, db) else { return true }
            try UsageTally.keep(through: oldest.last, db)
            try db.execute(sql: "DELETE FROM journal WHERE number <= ?", arguments: [oldest.last])
            rest -= oldest.bytes
        }
        return false
    }

    /// The oldest entries: those up to the place `floor`, and as many more as `excess` bytes take, but only until
    /// `quota` bytes are reached. `nil` if there are none.
    private static func oldest(
        through floor: Int64, orWorth excess: Int, atMost quota: Int, _ db: Database
    ) throws -> (last: Int64, bytes: Int)? {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT number, number - skipped AS place,
                    length(CAST(message AS BLOB)) + ifnull(length(CAST(names AS BLOB)), 0) AS size
                FROM journal ORDER BY number
                """)
        var found: (last: Int64, bytes: Int)?
        while let row = try rows.next() {
            let (number, place, size): (Int64, Int64, Int) = (row["number"], row["place"], row["size"])
            let bytes = found?.bytes ?? 0
            guard place <= floor || bytes < excess, bytes < quota else { break }
            found = (number, bytes + size + Self.overhead)
        }
        return found
    }

    /// About what a row takes besides its message and names, in bytes.
    private static let overhead = 32

    static func delete(before time: Timestamp, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM journal WHERE time < ?", arguments: [time.milliseconds])
        try UsageTally.delete(before: time, db)
    }

    /// Those that match of so many entries, the newest first, how many could not be decoded because another version wrote
    /// them, and before which number to go on; `nil` if nothing is left that could match.
    ///
    /// Decoding takes most of the time, so that only entries are decoded whose text may match.
    ///
    /// - Parameters:
    ///   - floor: the place of the newest entry that is too many.
    ///   - end: looks at what comes before this number.
    static func fetch(
        _ filter: Journal.Filter, limit: Int, above floor: Int64, before end: Int64, _ db: Database
    ) throws -> (entries: [Self], unreadable: Int, next: Int64?) {
        let first = try Int64.fetchOne(
            db, sql: "SELECT number FROM journal WHERE number < ? ORDER BY number DESC LIMIT 1 OFFSET ?",
            arguments: [end, JournalReading.slice - 1])
        let next = first.flatMap { $0 > (filter.after ?? 0) + 1 ? $0 : nil }
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT number, time, message, names, ?9 AND instr(message, '"all":{') AS isAboutAll FROM journal
                WHERE number > ?1 AND number >= ?12 AND number - skipped > ?10
                    AND (?2 IS NULL OR time >= ?2) AND (?3 IS NULL OR time < ?3)
                    AND (?4 IS NULL OR feature = ?4)
                    AND (?5 IS NULL OR instr(message, ?5) OR instr(message, ?6) OR (?7 AND ticket <> 0))
                    AND (?8 IS NULL OR message GLOB ?8 OR names GLOB ?8) AND number < ?11
                ORDER BY number DESC
                """,
            arguments: [
                filter.after ?? 0, filter.since?.milliseconds, filter.until?.milliseconds,
                filter.feature?.rawValue, filter.cause?.mark, filter.cause?.otherMark, filter.cause == .command,
                filter.by?.pattern, filter.subject != nil, floor, end, next ?? 0,
            ]
        )
        let mentions = try filter.subject.map { try JournalMentions($0) }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .inWords
        var entries: [Self] = []
        var unreadable = 0
        while entries.count < limit, let row = try rows.next() {
            let text: String = row["message"]
            guard row["isAboutAll"] || mentions?.mayBe(in: text) ?? true else { continue }
            do {
                let message = try decoder.decode(Message.self, from: Data(text.utf8))
                let names = try (row["names"] as String?).map {
                    try decoder.decode(Journal.Names.self, from: Data($0.utf8))
                }
                let entry = Self(
                    number: row["number"], time: Timestamp(milliseconds: row["time"]), message: message,
                    names: names ?? Journal.Names())
                if entry.matches(filter) { entries.append(entry) }
            } catch {
                unreadable += 1
            }
        }
        return (entries, unreadable, next)
    }
}

extension Cause.Name {
    /// What is in the text of every message with this cause, unless ``otherMark`` is. Commands have a ticket instead.
    fileprivate var mark: String {
        switch self {
        case .command: #""command":{"#
        case .scene: #""scene":{"#
        case .accessory: #""wall":{"#
        case .power: #""power":{"#
        case .otherApp: #""elsewhere":{"#
        case .unseen: #""unseen":{"#
        }
    }

    fileprivate var otherMark: String {
        switch self {
        case .scene: #""recall"#
        case .unseen: #""reread":{"#
        case .command, .accessory, .power, .otherApp: mark
        }
    }
}

extension String {
    /// A pattern of SQLite's GLOB for texts in which JSON has this string, case ignored, and for some more.
    fileprivate var pattern: String { "*" + lowercased().unicodeScalars.map(\.pattern).joined() + "*" }
}

extension Unicode.Scalar {
    fileprivate var pattern: String {
        switch self {
        // JSON may write them in another way.
        case "\"", "\\", "/", "\u{0}"..<" ", "\u{7F}": return "*"
        // They mean something in a pattern.
        case "*", "?", "[": return "[\(self)]"
        default: break
        }
        let cases = [properties.uppercaseMapping, properties.titlecaseMapping].filter { $0 != String(self) }
        guard !cases.isEmpty else { return String(self) }
        return cases.allSatisfy { $0.unicodeScalars.count == 1 } ? "[\(self)\(cases.joined())]" : "*"
    }
}

extension JSONEncoder.NonConformingFloatEncodingStrategy {
    /// JSON cannot express infinity or NaN, and one such number must not block a whole batch.
    static var inWords: Self {
        .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    }
}

extension JSONDecoder.NonConformingFloatDecodingStrategy {
    static var inWords: Self {
        .convertFromString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    }
}
