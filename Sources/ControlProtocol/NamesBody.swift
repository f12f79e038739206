/// What a person can type to name each thing of the home: its name, or what tells it from others of that name. For the
/// completions of shells.
public struct NamesBody: Codable, Equatable, Sendable {
    /// "Desk", or if there are several "Living/Desk".
    public var lights: [String]
    /// "@Kitchen".
    public var rooms: [String]
    /// "@Downstairs".
    public var zones: [String]
    public var scenes: [String]
    public var bridges: [String]
    /// "Dial Living". Absent from lightd of before it knew sensors.
    public var sensors: [String]?

    public init(
        lights: [String], rooms: [String], zones: [String], scenes: [String], bridges: [String],
        sensors: [String]? = nil
    ) {
        self.lights = lights
        self.rooms = rooms
        self.zones = zones
        self.scenes = scenes
        self.bridges = bridges
        self.sensors = sensors
    }
}
