import HashTreeCollections
import Khipu

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
    /// `nil` unless it is a smart scene, which sets no lights by itself.
    public let smart: SmartScene?

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case renaming(Renaming); public enum Renaming: Equatable, Sendable { case it(to: String) }
    }

    public init(
        id: ID, name: String, room: Room.ID? = nil, lights: [Light.ID] = [], look: [LightPatch]? = nil,
        turnsOff: [Light.ID]? = nil, smart: SmartScene? = nil
    ) {
        self.id = id
        self.name = name
        self.room = room
        self.lights = lights
        self.look = look
        self.turnsOff = turnsOff
        self.smart = smart
    }

    public func alter(by changes: Change...) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .renaming(.it(to: n)): with { $0.name = n }
        }
    }
}

/// The scene that was last recalled for a room or zone, as long as one of its lights shows it. Bridges say it too, but not
/// those with API v1, and none says what has been changed since.
public struct ShownScene: Equatable, Sendable {
    public let scene: Scene.ID
    /// Whether something else has changed one of its lights since.
    public let isChanged: Bool

    public init(scene: Scene.ID, isChanged: Bool) {
        self.scene = scene
        self.isChanged = isChanged
    }
}

extension AppState {
    /// What the lights of a room or zone show, and why, says which; `nil` stands for the scenes that belong to none.
    public func shownScene(of room: Room.ID?) -> ShownScene? {
        let members = room.map { rooms[$0]?.lights ?? [] } ?? Array(lights.keys)
        var newest: (scene: Scene, time: Timestamp)?
        for cause in members.lazy.compactMap({ lights[$0]?.shownBecause }) {
            guard case let .scene(id, by: _) = cause.kind, let scene = scenes[id], scene.room == room else { continue }
            if let other = newest, (other.time, other.scene.id) >= (cause.time, id) { continue }
            newest = (scene, cause.time)
        }
        return newest.map { scene, time in
            let smart = activeSmartScene(of: room, showing: scene.id)
            let set = Set(lights(of: smart?.current ?? scene.id) ?? [])
            let causes = set.intersection(members).lazy.compactMap { lights[$0]?.shownBecause }
            let isChanged = causes.contains { cause in
                switch cause.kind {
                case .scene(scene.id, by: _), .scene(smart?.id, by: _): false
                default: cause.time >= time
                }
            }
            return ShownScene(scene: smart?.id ?? scene.id, isChanged: isChanged)
        }
    }
}
