import FoundationEssentials
import GRDB
import Lighting

extension Scene {
    /// The scenes of one bridge, or of all bridges in turn, in the order in which they were saved.
    static func fetchAll(of bridge: Bridge.ID? = nil, _ db: Database) throws -> [Self] {
        try Row.fetchAll(
            db, sql: "SELECT * FROM scene WHERE bridge = ifnull(?, bridge) ORDER BY bridge, place",
            arguments: [bridge?.description]
        )
        .map(Self.init)
    }

    private init(_ row: Row) throws {
        let text: String = row["id"]
        guard let id = ID(text) else { throw CorruptRow("scene '\(text)' has an invalid id") }
        let room: String? = row["room"]
        let lights: String = row["lights"]
        let look: String? = row["look"]
        let turnsOff: String? = row["turnsOff"]
        do {
            self.init(
                id: id,
                name: row["name"],
                room: try room.map {
                    guard let id = Room.ID($0) else { throw CorruptRow("scene '\(text)' has an invalid room") }
                    return id
                },
                lights: try JSONDecoder().decode([Light.ID].self, from: Data(lights.utf8)),
                look: try look.map { try JSONDecoder().decode([Light.Setting].self, from: Data($0.utf8)) },
                turnsOff: try turnsOff.map { try JSONDecoder().decode([Light.ID].self, from: Data($0.utf8)) }
            )
        } catch is DecodingError {
            throw CorruptRow("scene '\(text)' has an invalid list of lights or colours")
        }
    }

    static func replaceAll(of bridge: Bridge.ID, by scenes: [Self], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM scene WHERE bridge = ?", arguments: [bridge.description])
        let insert = try db.makeStatement(
            sql: """
                INSERT INTO scene (bridge, place, id, name, room, lights, look, turnsOff)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        for (place, scene) in scenes.enumerated() {
            let lights = String(decoding: try JSONEncoder().encode(scene.lights), as: UTF8.self)
            let look = try scene.look.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
            let turnsOff = try scene.turnsOff.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
            try insert.execute(
                arguments: [
                    bridge.description, place, scene.id.description, scene.name, scene.room?.description, lights,
                    look, turnsOff,
                ]
            )
        }
    }
}
