import HashTreeCollections

/// The order into which somebody has put the scenes of a room or zone. Bridges keep none.
public struct SceneOrder: Identifiable, Equatable, Codable, Sendable {
    /// The room or zone.
    public let id: Room.ID
    /// All that it had then. One that does not exist is passed over, but keeps its place: a bridge that has just started
    /// may not list all of its scenes yet.
    public let scenes: [Scene.ID]

    public init(of room: Room.ID, _ scenes: [Scene.ID]) {
        id = room
        self.scenes = scenes
    }
}

extension Scene {
    /// How the scenes of a room or zone are put into an order.
    public enum Ordering: Equatable, Codable, Sendable {
        /// These come first, in this order. The others keep theirs, after them.
        case first([ID])
        /// As before anybody put them into an order.
        case byName

        /// The scenes that it names.
        var named: [ID] { if case let .first(scenes) = self { scenes } else { [] } }
    }
}

/// What the scenes of one room or zone are sorted by: those that were put into an order, then the others by name.
public struct ScenePlace: Comparable {
    private let place: Int
    private let name: NameOrder<Scene.ID>

    fileprivate init(_ place: Int?, _ name: NameOrder<Scene.ID>) {
        (self.place, self.name) = (place ?? .max, name)
    }

    public static func < (one: Self, other: Self) -> Bool {
        one.place == other.place ? one.name < other.name : one.place < other.place
    }
}

extension AppState {
    /// Its place in the order of its room or zone, from 0; `nil` if it has none there.
    public func orderedPlace(of scene: Scene) -> Int? {
        scene.room.flatMap { sceneOrders[$0]?.scenes.firstIndex(of: scene.id) }
    }

    /// What sorts it among the scenes of its room or zone, wherever they are listed or gone through.
    public func place(of scene: Scene) -> ScenePlace {
        ScenePlace(orderedPlace(of: scene), NameOrder(scene.name, scene.id))
    }

    /// Those of a room or zone, in their order.
    public func scenes(of room: Room.ID) -> [Scene] {
        scenes.values.filter { $0.room == room }.sorted { place(of: $0) }
    }

    /// What puts the scenes of a room or zone into an order.
    ///
    /// - Throws: why it does not.
    func ordering(scenesOf room: Room.ID, by ordering: Scene.Ordering) throws(Failure) -> Change {
        guard rooms[room] != nil else { throw .noSuchTarget(.room(room)) }
        switch ordering {
        case .byName: return .removing(.sceneOrder(room))
        case let .first(named):
            let known = scenes(of: room).map(\.id)
            if let stranger = named.first(where: { !known.contains($0) }) { throw .noSuchScene(stranger) }
            return .adding(.sceneOrder(SceneOrder(of: room, (named + known).unique)))
        }
    }
}
