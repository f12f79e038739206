import FoundationEssentials
import GRDB
import Lighting

extension Automation {
    /// In order.
    static func fetchAll(_ db: Database) throws -> [Self] {
        try String.fetchAll(db, sql: "SELECT automation FROM automation ORDER BY place").map { text in
            do {
                return try JSONDecoder().decode(Self.self, from: Data(text.utf8))
            } catch {
                throw CorruptRow("automation that cannot be read: \(text)")
            }
        }
    }

    static func replaceAll(by automations: [Self], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM automation")
        let insert = try db.makeStatement(sql: "INSERT INTO automation (place, automation) VALUES (?, ?)")
        for (place, automation) in automations.enumerated() {
            try insert.execute(arguments: [place, try automation.json])
        }
    }
}

extension AutomationState.Memory {
    static func fetch(_ db: Database) throws -> Self? {
        guard let text = try String.fetchOne(db, sql: "SELECT memory FROM automationMemory") else { return nil }
        do {
            return try JSONDecoder().decode(Self.self, from: Data(text.utf8))
        } catch {
            throw CorruptRow("runs of automations that cannot be read")
        }
    }

    func save(_ db: Database) throws {
        try db.execute(
            sql: "INSERT INTO automationMemory VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET memory = excluded.memory",
            arguments: [json])
    }
}

extension Encodable {
    /// The same for equal values.
    fileprivate var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}
