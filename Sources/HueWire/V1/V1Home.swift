/// `GET /api/KEY`: everything that a bridge has, in one document.
public struct V1Home: Decodable, Sendable {
    public let lights: V1List<V1Light>
    /// All but group 0, which is every light and in no list.
    public let groups: V1List<V1Group>
    public let scenes: V1List<V1Scene>
    public let sensors: V1List<V1Sensor>
    public let config: PublicConfig?
    /// Of the bridge itself (`config.swupdate2.bridge.state`): "noupdates", "transferring", "readytoinstall", "installing",
    /// "unknown"…; `nil` with older firmware, which has no `swupdate2`.
    public let updateState: String?

    private enum CodingKeys: String, CodingKey { case lights, groups, scenes, sensors, config }

    /// - Throws: if it has no list of lights: half an answer is not an empty home.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        lights = try container.decode(V1List<V1Light>.self, forKey: .lights)
        groups = container.feature(.groups) ?? V1List()
        scenes = container.feature(.scenes) ?? V1List()
        sensors = container.feature(.sensors) ?? V1List()
        config = container.feature(.config)
        updateState = container.feature(.config, as: UpdateConfig.self)?.swupdate2?.bridge?.state
    }

    private struct UpdateConfig: Decodable {
        let swupdate2: Update?

        struct Update: Decodable { let bridge: Part? }
        struct Part: Decodable { let state: String? }
    }

    /// Why elements were skipped.
    public var unreadable: [String] {
        lights.unreadable.map { "light \($0)" } + groups.unreadable.map { "group \($0)" }
            + scenes.unreadable.map { "scene \($0)" } + sensors.unreadable.map { "sensor \($0)" }
    }
}

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

/// A room or zone to create (`POST …/groups`), or its new lights: only what is named is sent.
public struct V1GroupUpdate: Hashable, Codable, Sendable {
    public var name: String?
    /// "Room" or "Zone".
    public var type: String?
    /// By their numbers, all that it is to have.
    public var lights: [String]

    public init(name: String? = nil, type: String? = nil, lights: [String]) {
        self.name = name
        self.type = type
        self.lights = lights
    }
}

/// A scene to create for all lights of a group (`POST …/scenes`). It stores what they show.
public struct V1NewScene: Hashable, Codable, Sendable {
    public var name: String
    public var type = "GroupScene"
    /// The group's number.
    public var group: String
    /// Whether the bridge may delete it when it needs room.
    public var recycle = false

    public init(name: String, group: String) {
        self.name = name
        self.group = group
    }
}

/// Makes a scene store what its lights show now (`PUT …/scenes/ID`).
public struct V1SceneStore: Hashable, Codable, Sendable {
    public var storelightstate = true

    public init() {}
}
