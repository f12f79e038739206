import FoundationEssentials
import GRDB
import Lighting

extension SwitchBinding {
    /// In the order of the switches' ids.
    static func fetchAll(_ db: Database) throws -> [Self] {
        try Row.fetchAll(db, sql: "SELECT * FROM binding ORDER BY switch").map { row in
            let (id, text): (String, String) = (row["switch"], row["binding"])
            do {
                return try JSONDecoder().decode(Self.self, from: Data(text.utf8))
            } catch {
                throw CorruptRow("the binding of switch '\(id)' is not what lightd writes")
            }
        }
    }

    static func replaceAll(by bindings: [Self], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM binding")
        let insert = try db.makeStatement(sql: "INSERT INTO binding (switch, binding) VALUES (?, ?)")
        for binding in bindings {
            let text = String(decoding: try JSONEncoder().encode(binding), as: UTF8.self)
            try insert.execute(arguments: [binding.id.description, text])
        }
    }
}
