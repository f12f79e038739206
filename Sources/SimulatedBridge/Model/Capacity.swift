/// How many things a bridge has room for, whichever API creates them (v1 `capabilities`).
enum Capacity {
    /// Rooms and zones together; in API v1 also light groups and entertainment configurations.
    static let groups = 64
    static let scenes = 200
    static let sensors = 250
    static let entertainmentChannels = 20
    /// Resources of API v2 that are stored as written, of each type.
    static let storedResources = 100
}
