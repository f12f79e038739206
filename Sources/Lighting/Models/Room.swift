/// A room or a zone: a group of lights that a bridge knows by a name. A light is in one room at most, and in any number of
/// zones.
public struct Room: Identifiable, Equatable, Codable, Sendable {
    public typealias ID = QualifiedID<Room>

    public let id: ID
    public let name: String
    public let kind: Kind
    /// In the bridge's order.
    public let lights: [Light.ID]

    public enum Kind: String, Codable, Sendable { case room, zone }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case renaming(Renaming); public enum Renaming: Equatable, Sendable { case it(to: String) }
        case placing (Placing ); public enum Placing : Equatable, Sendable { case lights([Light.ID]) }
    }

    public init(id: ID, name: String, kind: Kind = .room, lights: [Light.ID] = []) {
        self.init(id, name, kind, lights)
    }

    private init(_ id: ID, _ name: String, _ kind: Kind, _ lights: [Light.ID]) {
        self.id = id
        self.name = name
        self.kind = kind
        self.lights = lights
    }

    public func alter(by changes: Change...) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .renaming(.it    (to: n)): Self(id, n   , kind, lights)
        case let .placing (.lights(    l)): Self(id, name, kind, l     )
        }
    }
}
