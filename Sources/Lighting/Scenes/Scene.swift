/// A set of light states for a room, stored on its bridge.
public struct Scene: Identifiable, Equatable, Codable, Sendable, ChangeTable {
    public typealias ID = QualifiedID<Scene>

    public let id: ID
    public private(set) var name: String
    /// The room or zone it belongs to; `nil` if the bridge names none, or an unknown one.
    public let room: Room.ID?
    /// The lights it sets.
    public let lights: [Light.ID]
    /// The colours and whites that it gives its lights, without levels: each once, in the order of the lights. `nil` if
    /// they are not known: bridges list scenes without them in API v1, and older versions of lightd did not keep them.
    public let look: [LightPatch]?
    /// Those of its lights that it turns off. `nil` if that is not known, as with ``look``.
    public let turnsOff: [Light.ID]?

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case renaming(Renaming); public enum Renaming: Equatable, Sendable { case it(to: String) }
    }

    public init(
        id: ID, name: String, room: Room.ID? = nil, lights: [Light.ID] = [], look: [LightPatch]? = nil,
        turnsOff: [Light.ID]? = nil
    ) {
        self.id = id
        self.name = name
        self.room = room
        self.lights = lights
        self.look = look
        self.turnsOff = turnsOff
    }

    public func alter(by changes: Change...) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .renaming(.it(to: n)): with { $0.name = n }
        }
    }
}
