/// What `lightctl snapshot` writes and `lightctl restore` reads.
///
///     {"lights":[{"brightness":40,"id":"…","mode":"temperature","name":"Desk","power":"on","temperature":366}],
///      "taken":"2026-11-21T10:42:03Z","version":1}
public struct SnapshotBody: Codable, Equatable, Sendable {
    /// The form of the lights. A field that a light did not have takes another version: an older lightctl would restore
    /// the light without it.
    public var version: Int
    /// ISO 8601 in UTC.
    public var taken: String
    public var lights: [Command.LightState]

    public static let newestVersion = 1

    public init(taken: String, lights: [Command.LightState]) {
        version = Self.newestVersion
        self.taken = taken
        self.lights = lights
    }
}
