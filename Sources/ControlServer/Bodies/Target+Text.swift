import Lighting

extension Target {
    /// The target as it can be sent back, by id: "BRIDGE/LIGHT", "@BRIDGE/ROOM", "all".
    var text: String {
        switch self {
        case let .light(id): id.description
        case let .room(id): "@\(id)"
        case .all: "all"
        }
    }
}
