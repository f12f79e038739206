import FoundationEssentials
import GRDB
import Lighting

extension Following {
    static func fetchAll(_ db: Database) throws -> [Self] {
        try String.fetchAll(db, sql: "SELECT following FROM following ORDER BY place").map { text in
            do {
                return try JSONDecoder().decode(Self.self, from: Data(text.utf8))
            } catch {
                throw CorruptRow("a following that cannot be read: \(error)")
            }
        }
    }

    static func replaceAll(by followings: [Self], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM following")
        for (place, following) in followings.enumerated() {
            let text = String(decoding: try JSONEncoder().encode(following), as: UTF8.self)
            try db.execute(sql: "INSERT INTO following VALUES (?, ?)", arguments: [place, text])
        }
    }
}

extension Curve {
    /// By name.
    static func fetchAll(_ db: Database) throws -> [String: Self] {
        var curves: [String: Self] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT name, curve FROM curve") {
            let (name, text): (String, String) = (row["name"], row["curve"])
            do {
                curves[name] = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
            } catch {
                throw CorruptRow("the curve '\(name)' cannot be read: \(error)")
            }
        }
        return curves
    }

    static func replaceAll(by curves: [String: Self], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM curve")
        for (name, curve) in curves {
            let text = String(decoding: try JSONEncoder().encode(curve), as: UTF8.self)
            try db.execute(sql: "INSERT INTO curve VALUES (?, ?)", arguments: [name, text])
        }
    }
}
