/// What would be sent to the bridges if commands were carried out now. Made anew for each rehearsal, from the bridges
/// as they are then.
public struct LightRehearsal: Sendable {
    /// Takes commands as the real lights do, and sends nothing. Replies at once: with a failure if a bridge cannot take
    /// the command now.
    public var lights: LightStack
    /// As ``lights``.
    public var rooms: RoomStack
    /// As ``lights``.
    public var scenes: SceneStack
    /// What the commands so far would send. Throws if a value cannot be encoded.
    public var requests: @Sendable () async throws -> [PlannedRequest]

    public init(
        lights: LightStack, rooms: RoomStack, scenes: SceneStack,
        requests: @escaping @Sendable () async throws -> [PlannedRequest]
    ) {
        self.lights = lights
        self.rooms = rooms
        self.scenes = scenes
        self.requests = requests
    }
}

/// A request to a bridge, exactly as it would be sent.
public struct PlannedRequest: Equatable, Sendable {
    public let bridge: Bridge.ID
    /// "PUT", "POST", "DELETE"
    public let method: String
    /// With "KEY" in place of our key, which API v1 has in its paths, and "NEW" in place of the id that the bridge will
    /// give to what it creates.
    public let path: String
    /// Empty for a DELETE.
    public let body: String
    /// Why it is not sent now; it is sent if the bridge is back while the command waits. `nil` if the bridge is
    /// connected.
    public let held: Failure?

    public init(bridge: Bridge.ID, method: String, path: String, body: String, held: Failure? = nil) {
        self.bridge = bridge
        self.method = method
        self.path = path
        self.body = body
        self.held = held
    }
}
