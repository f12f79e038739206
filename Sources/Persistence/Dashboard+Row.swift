import GRDB
import Lighting

extension Dashboard {
    static func fetch(_ db: Database) throws -> Self {
        Self(pins: try Row.fetchAll(db, sql: "SELECT * FROM dashboardPin ORDER BY place").map(DashboardPin.init))
    }

    func save(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM dashboardPin")
        let insert = try db.makeStatement(
            sql: "INSERT INTO dashboardPin (place, kind, target, display) VALUES (?, ?, ?, ?)"
        )
        for (place, pin) in pins.enumerated() {
            let (kind, target): (String, String?) =
                switch pin.target {
                case let .light(id): ("light", id.description)
                case let .room(id): ("room", id.description)
                case .all: ("all", nil)
                }
            try insert.execute(arguments: [place, kind, target, pin.display.rawValue])
        }
    }
}

extension DashboardPin {
    fileprivate init(_ row: Row) throws {
        let (kind, text, display): (String, String?, String) = (row["kind"], row["target"], row["display"])
        let target: Target? =
            switch kind {
            case "light": text.flatMap { Light.ID($0) }.map(Target.light)
            case "room": text.flatMap { Room.ID($0) }.map(Target.room)
            case "all": .all
            default: nil
            }
        guard let target, let display = Light.Interface(rawValue: display) else {
            throw CorruptRow("dashboard pin with an invalid target or display: \(kind) '\(text ?? "")' as '\(display)'")
        }
        self.init(target, display: display)
    }
}
