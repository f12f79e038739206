import FoundationEssentials
import GRDB
import Lighting

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
