/// A group in API v1. Its `action` is the last command sent to it, not what its lights show, so it is not read.
public struct V1Group: Hashable, Decodable, Sendable {
    public let name: String?
    /// "Room", "Zone", "LightGroup", "Entertainment", "Luminaire", "Lightsource".
    public let type: String?
    /// By their numbers.
    public let lights: [String]
    /// The sensors that are in it, by their numbers: each device's first.
    public let sensors: [String]
    /// deCONZ keeps groups of its switches, which are not for people.
    public let isHidden: Bool
    /// deCONZ keeps scenes in their group, numbered there.
    public let scenes: [OwnScene]

    public struct OwnScene: Hashable, Decodable, Sendable {
        public let id: String
        public let name: String?
    }

    private enum CodingKeys: String, CodingKey { case name, type, lights, sensors, hidden, scenes }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = container.feature(.name)
        type = container.feature(.type)
        lights = container.list(.lights)
        sensors = container.list(.sensors)
        isHidden = container.feature(.hidden) ?? false
        scenes = container.list(.scenes)
    }
}
