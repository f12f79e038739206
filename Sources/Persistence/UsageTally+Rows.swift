import FoundationEssentials
import GRDB
import Khipu
import Lighting

/// What deleted entries said of how people light their home: one row a use, and one a lamp with what is known of it. Whoever
/// fills the journal takes nothing away from it, and it is bounded by lamps and days.
extension UsageTally {
    /// Of a lamp that is used more often within 24 hours, the first uses are kept.
    static let mostUses = 40

    /// Takes in the entries up to this number, which are about to be deleted, and keeps what they say.
    static func keep(through last: Int64, _ db: Database) throws {
        let rows = try Row.fetchCursor(db, sql: Self.telling + "AND number <= ? ORDER BY number", arguments: [last])
        guard let row = try rows.next() else { return }
        var tally = try fetchLamps(db)
        let before = tally.lamps
        tally.take(row)
        while let row = try rows.next() { tally.take(row) }
        for (light, lamp) in tally.lamps where lamp != before[light] {
            try db.execute(
                sql: """
                    INSERT INTO usedLamp VALUES (?, ?) ON CONFLICT (light) DO UPDATE SET lamp = excluded.lamp
                    """,
                arguments: [light.description, String(decoding: try JSONEncoder().encode(lamp), as: UTF8.self)])
        }
        guard let newest = tally.uses.last else { return }
        for use in tally.uses { try use.insert(db) }
        // A clock that was wrong by years for a while, then or now, must not make all of them old.
        let now = try Int64.fetchOne(db, sql: "SELECT time FROM journal ORDER BY number DESC LIMIT 1") ?? .max
        let oldest = Timestamp(milliseconds: min(newest.use.end.milliseconds, now))
            .advanced(by: .zero - UsageHistory.length)
        try db.execute(sql: "DELETE FROM usage WHERE start < ?", arguments: [oldest.milliseconds])
    }

    /// What is kept, and what the stored entries say that are too many, and listed no more.
    ///
    /// - Parameter floor: the place of the newest entry that is too many.
    static func fetch(notListedThrough floor: Int64, _ db: Database) throws -> Self {
        let first = try Int64.fetchOne(
            db, sql: "SELECT number FROM journal WHERE number - skipped > ? ORDER BY number LIMIT 1",
            arguments: [floor])
        let last = try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'journal'")
        let through = first.map { $0 - 1 } ?? last ?? 0
        var tally = Self(
            lamps: try fetchLamps(db).lamps,
            uses: try Row.fetchAll(db, sql: "SELECT * FROM usage ORDER BY start").compactMap { Use($0) })
        let rows = try Row.fetchCursor(
            db, sql: Self.telling + "AND number <= ? ORDER BY number", arguments: [through])
        while let row = try rows.next() { tally.take(row) }
        tally.through = through
        return tally
    }

    /// Deletes what began before this time, and what is known of the lamps, which may be as old.
    static func delete(before time: Timestamp, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM usage WHERE start < ?", arguments: [time.milliseconds])
        try db.execute(sql: "DELETE FROM usedLamp")
    }

    /// About what all rows take, in bytes, and not less.
    static func size(_ db: Database) throws -> Int {
        let longestRow = 200
        let uses = try Int.fetchOne(db, sql: "SELECT count(*) FROM usage") ?? 0
        let lamps = try Int.fetchOne(db, sql: "SELECT ifnull(sum(length(lamp)), 0) FROM usedLamp") ?? 0
        return uses * longestRow + 2 * lamps
    }

    /// Entries that may say something of lamps. Names in a message have their quotation marks escaped.
    private static let telling = """
        SELECT number, time, message FROM journal
        WHERE ((feature = 'lighting' AND (instr(message, '"reported":{') OR instr(message, '"reread":{'))
            AND NOT instr(message, '"sensor":{')) OR (feature = 'bridges' AND instr(message, '"lost":{')))

        """

    /// Passes over what another version has written.
    private mutating func take(_ row: Row) {
        let text: String = row["message"]
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .inWords
        guard let message = try? decoder.decode(Message.self, from: Data(text.utf8)) else { return }
        take(Journal.Entry(number: row["number"], time: Timestamp(milliseconds: row["time"]), message: message))
    }

    private static func fetchLamps(_ db: Database) throws -> Self {
        var lamps: [Light.ID: Lamp] = [:]
        let rows = try Row.fetchCursor(db, sql: "SELECT * FROM usedLamp")
        while let row = try rows.next() {
            let (id, text): (String, String) = (row["light"], row["lamp"])
            // Written by another version: nothing is known of the lamp.
            guard let lamp = try? JSONDecoder().decode(Lamp.self, from: Data(text.utf8)) else { continue }
            if let light = Light.ID(id) { lamps[light] = lamp }
        }
        return Self(lamps: lamps)
    }
}

extension UsageTally.Use {
    fileprivate init?(_ row: Row) {
        guard let light = Light.ID(row["light"] as String) else { return nil }
        self.init(
            UsageHistory.Use(
                light, from: Timestamp(milliseconds: row["start"]), to: Timestamp(milliseconds: row["end"]),
                level: row["level"]), wall: row["wall"])
    }

    fileprivate func insert(_ db: Database) throws {
        let day: Int64 = 86_400_000
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO usage SELECT ?1, ?2, ?3, ?4, ?5
                WHERE (SELECT count(*) FROM usage WHERE light = ?1 AND start > ?2 - ?6 AND start <= ?2) < ?7
                """,
            arguments: [
                use.light.description, use.start.milliseconds, use.end.milliseconds, use.level, wall, day,
                UsageTally.mostUses,
            ])
    }
}

extension PresenceReplay {
    /// `nil` if there never was one, or if it was written by another version, which nobody waits for.
    static func fetch(_ db: Database) throws -> Self? {
        func value<Value: Decodable>(_ part: Part, _: Value.Type = Value.self) throws -> Value? {
            let text = try String.fetchOne(
                db, sql: "SELECT value FROM presence WHERE part = ?", arguments: [part.rawValue])
            return text.flatMap { try? JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
        }
        guard let history = try value(.history, UsageHistory.self), let replay = try value(.replay, Self.self) else {
            return nil
        }
        return replay.replaying(history)
    }

    /// Writes what differs: the history is large, and stays.
    func save(_ db: Database) throws {
        try save(.history, history, db)
        try save(.replay, replaying(UsageHistory()), db)
    }

    private enum Part: String { case history, replay }

    private func save(_ part: Part, _ value: some Encodable, _ db: Database) throws {
        let encoder = JSONEncoder()
        // Equal values are equal texts.
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
        try db.execute(
            sql: """
                INSERT INTO presence VALUES (?, ?)
                ON CONFLICT (part) DO UPDATE SET value = excluded.value WHERE value <> excluded.value
                """, arguments: [part.rawValue, text])
    }
}
