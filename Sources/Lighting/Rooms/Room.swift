/// A room or a zone: a named group of lights on a bridge. A light is in at most one room, and in any number of zones.
public struct Room: Identifiable, Equatable, Codable, Sendable, ChangeTable {
    public typealias ID = QualifiedID<Room>

    public let id: ID
    public private(set) var name: String
    public let kind: RoomKind
    /// In the bridge's order.
    public private(set) var lights: [Light.ID]

    /// A light leaves a room because it is put into another, and with the room those of its scenes that set it.
    public struct Departure: Equatable, Codable, Sendable {
        public let light: Light.ID
        public let room: Room.ID
        public let scenes: [Scene.ID]

        public init(light: Light.ID, room: Room.ID, scenes: [Scene.ID] = []) {
            self.light = light
            self.room = room
            self.scenes = scenes
        }
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case renaming(Renaming); public enum Renaming: Equatable, Sendable { case it(to: String) }
        case placing (Placing ); public enum Placing : Equatable, Sendable { case lights([Light.ID]) }
    }

    public init(id: ID, name: String, kind: RoomKind = .room, lights: [Light.ID] = []) {
        self.id = id
        self.name = name
        self.kind = kind
        self.lights = lights
    }

    public func alter(by changes: Change...) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .renaming(.it    (to: n)): with { $0.name = n }
        case let .placing (.lights(    l)): with { $0.lights = l }
        }
    }
}
