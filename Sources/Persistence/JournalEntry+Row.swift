import FoundationEssentials
import GRDB
import Khipu
import Lighting

extension Journal.Entry {
    /// The number of the last entry ever written, even if it was pruned.
    static func fetchLastNumber(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'journal'") ?? 0
    }

    /// Returns the size of the messages in bytes.
    static func insert(_ entries: some Sequence<Self>, _ db: Database) throws -> Int {
        let insert = try db.makeStatement(
            sql: "INSERT INTO journal (number, time, feature, ticket, message) VALUES (?, ?, ?, ?, ?)"
        )
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .inWords
        var bytes = 0
        for entry in entries {
            let message = String(decoding: try encoder.encode(entry.message), as: UTF8.self)
            bytes += message.utf8.count
            try insert.execute(
                arguments: [
                    entry.number, entry.time.milliseconds, entry.message.feature.rawValue,
                    Int64(clamping: entry.message.ticket.number), message,
                ]
            )
        }
        return bytes
    }

    /// Deletes the oldest entries that are not within the bounds, but only about `quota` bytes of them, so that a
    /// journal far beyond its bounds delays nobody.
    ///
    /// Returns whether the journal is within the bounds now.
    static func trim(to bounds: JournalBounds, after last: Int64, quota: Int, _ db: Database) throws -> Bool {
        var rest = quota
        while rest > 0 {
            let excess = try DatabaseSize.fetch(db).used - bounds.bytes
            guard
                let oldest = try oldest(
                    through: bounds.floor(after: last), orWorth: excess, atMost: rest, db)
            else { return true }
            try db.execute(sql: "DELETE FROM journal WHERE number <= ?", arguments: [oldest.last])
            rest -= oldest.bytes
        }
        return false
    }

    /// The oldest entries: those up to the number `floor`, and as many more as `excess` bytes take, but only until
    /// `quota` bytes are reached. `nil` if there are none.
    private static func oldest(
        through floor: Int64, orWorth excess: Int, atMost quota: Int, _ db: Database
    ) throws -> (last: Int64, bytes: Int)? {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT number, length(CAST(message AS BLOB)) AS size FROM journal ORDER BY number")
        var found: (last: Int64, bytes: Int)?
        while let row = try rows.next() {
            let (number, size): (Int64, Int) = (row["number"], row["size"])
            let bytes = found?.bytes ?? 0
            guard number <= floor || bytes < excess, bytes < quota else { break }
            found = (number, bytes + size + Self.overhead)
        }
        return found
    }

    /// About what a row takes besides its message, in bytes.
    private static let overhead = 32

    static func delete(before time: Timestamp, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM journal WHERE time < ?", arguments: [time.milliseconds])
    }

    /// The newest matching entries, oldest first, and how many could not be decoded because another version wrote them.
    ///
    /// Decoding takes most of the time, so that only entries are decoded whose text may match.
    static func fetch(
        _ filter: Journal.Filter, limit: Int, above floor: Int64, _ db: Database
    ) throws -> (entries: [Self], unreadable: Int) {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT number, time, message, ?9 AND instr(message, '"all":{') AS isAboutAll FROM journal
                WHERE number > ?1 AND (?2 IS NULL OR time >= ?2) AND (?3 IS NULL OR time < ?3)
                    AND (?4 IS NULL OR feature = ?4)
                    AND (?5 IS NULL OR instr(message, ?5) OR instr(message, ?6) OR (?7 AND ticket <> 0))
                    AND (?8 IS NULL OR message LIKE ?8)
                ORDER BY number DESC
                """,
            arguments: [
                max(floor, filter.after ?? floor), filter.since?.milliseconds, filter.until?.milliseconds,
                filter.feature?.rawValue, filter.cause?.mark, filter.cause?.otherMark, filter.cause == .command,
                filter.by?.pattern, filter.subject != nil,
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
                let entry = Self(number: row["number"], time: Timestamp(milliseconds: row["time"]), message: message)
                if entry.matches(filter) { entries.append(entry) }
            } catch {
                unreadable += 1
            }
        }
        return (entries.reversed(), unreadable)
    }
}

extension Cause.Name {
    /// What is in the text of every message with this cause, unless ``otherMark`` is. Commands have a ticket instead.
    fileprivate var mark: String {
        switch self {
        case .command: #""command":{"#
        case .scene: #""scene":{"#
        case .wall: #""wall":{"#
        case .power: #""power":{"#
        case .elsewhere: #""elsewhere":{"#
        case .unseen: #""unseen":{"#
        }
    }

    fileprivate var otherMark: String {
        switch self {
        case .scene: #""recall"#
        case .unseen: #""reread":{"#
        case .command, .wall, .power, .elsewhere: mark
        }
    }
}

extension String {
    /// An SQL pattern for texts in which JSON has this string, case ignored, and for some more.
    fileprivate var pattern: String {
        let plain = map { $0.isASCII && ($0.isLetter || $0.isNumber || " ()-.:".contains($0)) ? $0 : "%" }
        return "%" + String(plain) + "%"
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
