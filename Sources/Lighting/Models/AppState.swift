public import HashTreeCollections
public import Khipu

/// Everything the application knows. Its collections are persistent and share structure: a change costs O(log n), and an old
/// state is a free snapshot.
public struct AppState: Equatable, Sendable {
    public let lights: TreeDictionary<Light.ID, Light>
    public let rooms: TreeDictionary<Room.ID, Room>
    public let scenes: TreeDictionary<Scene.ID, Scene>
    public let bridges: TreeDictionary<Bridge.ID, Bridge>
    public let dashboard: Dashboard
    /// What can be undone.
    public let history: History

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        /// Adds it, or takes the place of the one with the same id.
        case adding   (Adding   ); public enum Adding   : Equatable, Sendable { case light(Light), room(Room), scene(Scene), bridge(Bridge) }
        case removing (Removing ); public enum Removing : Equatable, Sendable { case light(Light.ID), room(Room.ID), scene(Scene.ID), bridge(Bridge.ID) }
        /// All of one bridge at once: what is not named is gone.
        case replacing(Replacing); public enum Replacing: Equatable, Sendable {
            case lights   (of: Bridge.ID, by: [Light])
            case rooms    (of: Bridge.ID, by: [Room])
            case scenes   (of: Bridge.ID, by: [Scene])
            case dashboard(by: Dashboard)
        }
        /// Alters one that is there; one that is not there stays absent.
        case updating (Updating ); public enum Updating : Equatable, Sendable {
            case light    (Light.ID , by: [Light.Change])
            case room     (Room.ID  , by: Room.Change)
            case scene    (Scene.ID , by: Scene.Change)
            case bridge   (Bridge.ID, by: Bridge.Change)
            case dashboard(by: Dashboard.Change)
            case history  (by: History.Change)
        }
    }

    public init() {
        self.init([:], [:], [:], [:], Dashboard(), History())
    }

    private init(
        _ lights: TreeDictionary<Light.ID, Light>,
        _ rooms: TreeDictionary<Room.ID, Room>,
        _ scenes: TreeDictionary<Scene.ID, Scene>,
        _ bridges: TreeDictionary<Bridge.ID, Bridge>,
        _ dashboard: Dashboard,
        _ history: History
    ) {
        self.lights = lights
        self.rooms = rooms
        self.scenes = scenes
        self.bridges = bridges
        self.dashboard = dashboard
        self.history = history
    }

    public func alter(by changes: Change...) -> Self { alter(by: changes) }
    public func alter(by changes: [Change]) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .adding   (.light    (l         )): Self(lights.with(l)                         , rooms                                 , scenes                                 , bridges                                 , dashboard             , history             )
        case let .adding   (.room     (r         )): Self(lights                                 , rooms.with(r)                         , scenes                                 , bridges                                 , dashboard             , history             )
        case let .adding   (.scene    (s         )): Self(lights                                 , rooms                                 , scenes.with(s)                         , bridges                                 , dashboard             , history             )
        case let .adding   (.bridge   (b         )): Self(lights                                 , rooms                                 , scenes                                 , bridges.with(b)                         , dashboard             , history             )
        case let .removing (.light    (id        )): Self(lights.without(id)                     , rooms                                 , scenes                                 , bridges                                 , dashboard             , history             )
        case let .removing (.room     (id        )): Self(lights                                 , rooms.without(id)                     , scenes                                 , bridges                                 , dashboard             , history             )
        case let .removing (.scene    (id        )): Self(lights                                 , rooms                                 , scenes.without(id)                     , bridges                                 , dashboard             , history             )
        case let .removing (.bridge   (id        )): Self(lights.without(all: id)                , rooms.without(all: id)                , scenes.without(all: id)                , bridges.without(id)                     , dashboard             , history             )
        case let .replacing(.lights   (of: b,by:n)): Self(lights.replacing(b, by: n)             , rooms                                 , scenes                                 , bridges                                 , dashboard             , history             )
        case let .replacing(.rooms    (of: b,by:n)): Self(lights                                 , rooms.replacing(b, by: n)             , scenes                                 , bridges                                 , dashboard             , history             )
        case let .replacing(.scenes   (of: b,by:n)): Self(lights                                 , rooms                                 , scenes.replacing(b, by: n)             , bridges                                 , dashboard             , history             )
        case let .replacing(.dashboard(by: d     )): Self(lights                                 , rooms                                 , scenes                                 , bridges                                 , d                     , history             )
        case let .updating (.light    (id, by: c )): Self(lights.updating(id) { $0.alter(by: c) }, rooms                                 , scenes                                 , bridges                                 , dashboard             , history             )
        case let .updating (.room     (id, by: c )): Self(lights                                 , rooms.updating(id) { $0.alter(by: c) }, scenes                                 , bridges                                 , dashboard             , history             )
        case let .updating (.scene    (id, by: c )): Self(lights                                 , rooms                                 , scenes.updating(id) { $0.alter(by: c) }, bridges                                 , dashboard             , history             )
        case let .updating (.bridge   (id, by: c )): Self(lights                                 , rooms                                 , scenes                                 , bridges.updating(id) { $0.alter(by: c) }, dashboard             , history             )
        case let .updating (.dashboard(by: c     )): Self(lights                                 , rooms                                 , scenes                                 , bridges                                 , dashboard.alter(by: c), history             )
        case let .updating (.history  (by: c     )): Self(lights                                 , rooms                                 , scenes                                 , bridges                                 , dashboard             , history.alter(by: c))
        }
    }
}

extension TreeDictionary where Value: Identifiable, Value.ID == Key {
    fileprivate func with(_ value: Value) -> Self {
        var copy = self
        copy[value.id] = value
        return copy
    }

    fileprivate func without(_ key: Key) -> Self {
        var copy = self
        copy[key] = nil
        return copy
    }

    fileprivate func updating(_ key: Key, by change: (Value) -> Value) -> Self {
        guard let value = self[key] else { return self }
        return with(change(value))
    }
}

extension TreeDictionary where Value: Identifiable, Value.ID == Key, Key: OnBridge {
    fileprivate func without(all bridge: Bridge.ID) -> Self { filter { $0.key.bridge != bridge } }

    fileprivate func replacing(_ bridge: Bridge.ID, by values: [Value]) -> Self {
        values.reduce(without(all: bridge)) { $0.with($1) }
    }
}

/// What is known by its bridge and a name there.
private protocol OnBridge { var bridge: Bridge.ID { get } }
extension QualifiedID: OnBridge {}

@DomainActor
public func createAppStore(_ initial: AppState = AppState()) -> Store<AppState, AppState.Change> {
    createStore(initial) { $0.alter(by: $1) }
}

public typealias AppStore = Store<AppState, AppState.Change>
