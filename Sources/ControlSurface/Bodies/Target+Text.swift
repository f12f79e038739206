import Lighting

extension Target {
    /// The target by its id, as commands take it: "BRIDGE/LIGHT", "@BRIDGE/ROOM", "all".
    var text: String {
        switch self {
        case let .light(id): id.description
        case let .room(id): "@\(id)"
        case .all: "all"
        }
    }
}
