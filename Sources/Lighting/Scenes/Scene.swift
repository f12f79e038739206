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
    /// By rooms and zones, by what their lights show and why; `nil` stands for scenes without a room.
    public var shownScenes: [Room.ID?: ShownScene] {
        var recalled: [Scene.ID: Timestamp] = [:]
        for cause in lights.values.lazy.map(\.shownBecause) {
            guard case let .scene(scene, by: _) = cause.kind else { continue }
            recalled[scene] = max(recalled[scene] ?? cause.time, cause.time)
        }
        var newest: [Room.ID?: (scene: Scene, time: Timestamp)] = [:]
        for (id, time) in recalled {
            guard let scene = scenes[id] else { continue }
            if let other = newest[scene.room], (other.time, other.scene.id) > (time, id) { continue }
            newest[scene.room] = (scene, time)
        }
        return newest.mapValues { scene, time in
            let causes = scene.lights.lazy.compactMap { lights[$0]?.shownBecause }
            let isChanged = causes.contains { cause in
                if case .scene(scene.id, by: _) = cause.kind { false } else { cause.time >= time }
            }
            return ShownScene(scene: scene.id, isChanged: isChanged)
        }
    }
}
