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
