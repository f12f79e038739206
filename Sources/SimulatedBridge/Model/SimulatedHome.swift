public import HueWire
import OrderedCollections

/// Everything a simulated bridge knows of its home. A value: what happened is the difference of two.
public struct SimulatedHome: Equatable, Codable, Sendable {
    public let bridge: Bridge
    /// Each by its id, in the order in which they came: the file's first.
    private let lampsByID: OrderedDictionary<ResourceID, Lamp>
    private let accessoriesByID: OrderedDictionary<ResourceID, Accessory>
    private let groupsByID: OrderedDictionary<ResourceID, Group>
    private let scenesByID: OrderedDictionary<ResourceID, Scene>
    /// Resources of API v2 that the bridge keeps as it was given them: smart scenes, entertainment configurations, behaviour
    /// instances, geofence clients.
    private let storedByID: OrderedDictionary<ResourceID, JSONValue>
    /// What only API v1 knows, by its path: "/schedules/1", "/rules/4", "/resourcelinks/2".
    private let v1ObjectsByPath: OrderedDictionary<String, JSONValue>
    /// How many things were ever made by clients: no id is given twice.
    let made: Int

    /// The names in saved state.
    private enum CodingKeys: String, CodingKey {
        case bridge, lampsByID, accessoriesByID, groupsByID, scenesByID, made
        case storedByID = "keptByID"
        case v1ObjectsByPath = "errandsByPath"
    }

    /// The bridge's own settings.
    public struct Bridge: Equatable, Codable, Sendable {
        /// 16 hex digits, lower case.
        public let id: String
        public let name: String
        public let model: BridgeModel
        /// "Europe/Berlin".
        public let timeZone: String
        /// What API v1 wrote into `config` besides: `zigbeechannel`, `dhcp`, `proxyport` …
        public let extras: JSONValue
        /// Whether it looks for new lamps now.
        public let isSearching: Bool
        /// Whether it was told where on earth it is. Where, it does not tell (v2 `geolocation`).
        public let isLocated: Bool

        init(
            id: String, name: String, model: BridgeModel, timeZone: String, extras: JSONValue,
            isSearching: Bool = false,
            isLocated: Bool = false
        ) {
            self.id = id
            self.name = name
            self.model = model
            self.timeZone = timeZone
            self.extras = extras
            self.isSearching = isSearching
            self.isLocated = isLocated
        }
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case updating (Updating ); public enum Updating : Equatable, Sendable { case lamp(ResourceID, by: [Lamp.Change]), accessory(ResourceID, by: [Accessory.Change]), group(ResourceID, by: [Group.Change]), scene(ResourceID, by: [Scene.Change]) }
        case renaming (Renaming ); public enum Renaming : Equatable, Sendable { case bridge(to: String) }
        case setting  (Setting  ); public enum Setting  : Equatable, Sendable { case timeZone(to: String), extras(to: JSONValue), searching(Bool), located(Bool) }
        case recalling(Recalling); public enum Recalling: Equatable, Sendable { case scene(ResourceID, as: Scene.Status = .static, level: Int? = nil) }
        /// Something new, made by a client; rises ``made``.
        case adding   (Adding   ); public enum Adding   : Equatable, Sendable { case lamp(Lamp), accessory(Accessory), group(Group), scene(Scene), stored(ResourceID, JSONValue), v1Object(String, JSONValue) }
        case replacing(Replacing); public enum Replacing: Equatable, Sendable { case stored(ResourceID, by: JSONValue), v1Object(String, by: JSONValue) }
        /// With what hangs on it: a group's scenes, a lamp's places in groups and scenes.
        case removing (Removing ); public enum Removing : Equatable, Sendable { case lamp(ResourceID), accessory(ResourceID), group(ResourceID), scene(ResourceID), stored(ResourceID), v1Object(String) }
    }

    private init(
        _ bridge: Bridge, _ lamps: OrderedDictionary<ResourceID, Lamp>,
        _ accessories: OrderedDictionary<ResourceID, Accessory>, _ groups: OrderedDictionary<ResourceID, Group>,
        _ scenes: OrderedDictionary<ResourceID, Scene>, _ stored: OrderedDictionary<ResourceID, JSONValue>,
        _ v1Objects: OrderedDictionary<String, JSONValue>, _ made: Int
    ) {
        self.bridge = bridge
        lampsByID = lamps
        accessoriesByID = accessories
        groupsByID = groups
        scenesByID = scenes
        storedByID = stored
        v1ObjectsByPath = v1Objects
        self.made = made
    }

    init(bridge: Bridge, lamps: [Lamp], accessories: [Accessory], groups: [Group], scenes: [Scene]) {
        self.init(
            bridge, OrderedDictionary(uniqueKeysWithValues: lamps.map { ($0.id, $0) }),
            OrderedDictionary(uniqueKeysWithValues: accessories.map { ($0.id, $0) }),
            OrderedDictionary(uniqueKeysWithValues: groups.map { ($0.id, $0) }),
            OrderedDictionary(uniqueKeysWithValues: scenes.map { ($0.id, $0) }), [:], [:], 0)
    }

    public func alter(by changes: Change...) -> Self { alter(by: changes) }
    public func alter(by changes: [Change]) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .updating (.lamp     (id, by: c)): Self(bridge                , lampsByID.updating(id) { $0.alter(by: c) }, accessoriesByID                                     , groupsByID                                     , c.changesLightState ? scenesByID.mapValues { $0.isActive && $0.sets(id) ? $0.alter(by: .setting(.status(to: .inactive))) : $0 } : scenesByID, storedByID, v1ObjectsByPath, made)
        case let .updating (.accessory(id, by: c)): Self(bridge                , lampsByID                              , accessoriesByID.updating(id) { $0.alter(by: c) }, groupsByID                                     , scenesByID                                    , storedByID                  , v1ObjectsByPath             , made    )
        case let .updating (.group    (id, by: c)): Self(bridge                , lampsByID                              , accessoriesByID                              , groupsByID.updating(id) { $0.alter(by: c) }, scenesByID                                    , storedByID                  , v1ObjectsByPath             , made    )
        case let .updating (.scene    (id, by: c)): Self(bridge                , lampsByID                              , accessoriesByID                              , groupsByID                                     , scenesByID.updating(id) { $0.alter(by: c) }, storedByID                  , v1ObjectsByPath             , made    )
        case let .renaming (.bridge      (to: n)) : Self(bridge.named(n)       , lampsByID                              , accessoriesByID                              , groupsByID                                     , scenesByID                                    , storedByID                  , v1ObjectsByPath             , made    )
        case let .setting  (.timeZone    (to: z)) : Self(bridge.in(z)          , lampsByID                              , accessoriesByID                              , groupsByID                                     , scenesByID                                    , storedByID                  , v1ObjectsByPath             , made    )
        case let .setting  (.extras      (to: e)) : Self(bridge.with(e)        , lampsByID                              , accessoriesByID                              , groupsByID                                     , scenesByID                                    , storedByID                  , v1ObjectsByPath             , made    )
        case let .setting  (.searching   (    s)) : Self(bridge.searching(s)   , lampsByID                              , accessoriesByID                              , groupsByID                                     , scenesByID                                    , storedByID                  , v1ObjectsByPath             , made    )
        case let .setting  (.located     (    l)) : Self(bridge.located(l)     , lampsByID                              , accessoriesByID                              , groupsByID                                     , scenesByID                                    , storedByID                  , v1ObjectsByPath             , made    )
        case let .recalling(.scene    (id, as: s, level: l)): recalled(id, as: s, level: l)
        case let .adding   (.lamp     (lamp     )): Self(bridge                , lampsByID.with(lamp, at: lamp.id)      , accessoriesByID                              , groupsByID.mapValues { $0.kind == .bridgeHome ? $0.alter(by: .setting(.lamps(to: $0.lamps + [lamp.id]))) : $0 }, scenesByID, storedByID, v1ObjectsByPath, made + 1)
        case let .adding   (.accessory(thing    )): Self(bridge                , lampsByID                              , accessoriesByID.with(thing, at: thing.id)    , groupsByID                                     , scenesByID                                    , storedByID                  , v1ObjectsByPath             , made + 1)
        case let .adding   (.group    (group    )): Self(bridge                , lampsByID                              , accessoriesByID                              , groupsByID.with(group, at: group.id)           , scenesByID                                    , storedByID                  , v1ObjectsByPath             , made + 1)
        case let .adding   (.scene    (scene    )): Self(bridge                , lampsByID                              , accessoriesByID                              , groupsByID                                     , scenesByID.with(scene, at: scene.id)          , storedByID                  , v1ObjectsByPath             , made + 1)
        case let .adding   (.stored     (id, value)): Self(bridge                , lampsByID                              , accessoriesByID                              , groupsByID                                     , scenesByID                                    , storedByID.with(value, at: id), v1ObjectsByPath           , made + 1)
        case let .adding   (.v1Object   (at, value)): Self(bridge                , lampsByID                              , accessoriesByID                              , groupsByID                                     , scenesByID                                    , storedByID                  , v1ObjectsByPath.with(value, at: at), made + 1)
        case let .replacing(.stored     (id, by: v)): Self(bridge                , lampsByID                              , accessoriesByID                              , groupsByID                                     , scenesByID                                    , storedByID.updating(id) { _ in v }, v1ObjectsByPath       , made    )
        case let .replacing(.v1Object   (at, by: v)): Self(bridge                , lampsByID                              , accessoriesByID                              , groupsByID                                     , scenesByID                                    , storedByID                  , v1ObjectsByPath.updating(at) { _ in v }, made)
        case let .removing (.lamp     (id       )): Self(bridge                , lampsByID.without(id)                  , accessoriesByID                              , groupsByID.mapValues { $0.without(id) }        , scenesByID.mapValues { $0.without(id) }       , storedWithout(lamp(id)?.resources), v1ObjectsByPath        , made    )
        case let .removing (.accessory(id       )): Self(bridge                , lampsByID                              , accessoriesByID.without(id)                  , groupsByID.mapValues { $0.without(id) }        , scenesByID                                    , storedWithout(accessory(id)?.resources), v1ObjectsByPath   , made    )
        case let .removing (.group    (id       )): Self(bridge                , lampsByID                              , accessoriesByID                              , groupsByID.without(id)                         , scenesByID.filter { $0.value.group != id }    , storedWithout(resources(ofGroup: id)), v1ObjectsByPath     , made    )
        case let .removing (.scene    (id       )): Self(bridge                , lampsByID                              , accessoriesByID                              , groupsByID                                     , scenesByID.without(id)                        , storedWithout([id])         , v1ObjectsByPath             , made    )
        case let .removing (.stored     (id       )): Self(bridge                , lampsByID                              , accessoriesByID                              , groupsByID                                     , scenesByID                                    , storedWithout([id])         , v1ObjectsByPath             , made    )
        case let .removing (.v1Object   (at       )): Self(bridge                , lampsByID                              , accessoriesByID                              , groupsByID                                     , scenesByID                                    , storedByID                  , v1ObjectsByPath.without(at) , made    )
        }
    }

    /// What is kept, without resources that are gone.
    private func storedWithout(_ gone: Set<ResourceID>?) -> OrderedDictionary<ResourceID, JSONValue> {
        guard let gone, !gone.isEmpty else { return storedByID }
        var stored = storedByID
        for (id, document) in storedByID { stored[id] = gone.contains(id) ? nil : document.storedWithout(gone) }
        return stored
    }

    private func resources(ofGroup id: ResourceID) -> Set<ResourceID>? {
        groupsByID[id].map { group in
            Set([id, group.groupedLight] + scenesByID.values.filter { $0.group == id }.map(\.id))
        }
    }

    /// - Parameter level: overrides the levels of the scene.
    private func recalled(_ id: ResourceID, as status: Scene.Status, level: Int?) -> Self {
        guard let scene = scenesByID[id] else { return self }
        let actions = Dictionary(scene.actions.map { ($0.lamp, $0.changes) }) { $1 }
        var lamps = lampsByID
        for (lamp, changes) in actions {
            lamps = lamps.updating(lamp) { lamp in
                let new = lamp.alter(by: changes)
                let dimming: [Lamp.Change] =
                    if let level, new.isOn, new.kind.dims { [.setting(.level(to: level))] } else { [] }
                // Only colours move; a white lamp in a dynamic scene stands still.
                let plays = status == .dynamicPalette && new.isOn && new.kind.gamut != nil
                return new.alter(by: dimming + (plays ? [.playing(.palette(speed: scene.speed))] : []))
            }
        }
        return Self(
            bridge, lamps, accessoriesByID, groupsByID,
            scenesByID.mapValues { other in
                if other.id == id { return other.alter(by: .setting(.status(to: status))) }
                // Another group's scene is over too where it shares a lamp.
                let isOver = other.group == scene.group || other.actions.contains { actions[$0.lamp] != nil }
                return isOver && other.isActive ? other.alter(by: .setting(.status(to: .inactive))) : other
            },
            storedByID, v1ObjectsByPath, made)
    }
}

extension SimulatedHome {
    public var lamps: [Lamp] { Array(lampsByID.values) }
    public var accessories: [Accessory] { Array(accessoriesByID.values) }
    /// Rooms and zones, in the order in which they were made, and the whole home.
    public var groups: [Group] { Array(groupsByID.values) }
    public var scenes: [Scene] { Array(scenesByID.values) }
    /// Resources of API v2 that are kept as they were given, with their ids.
    var storedResources: [(id: ResourceID, document: JSONValue)] { storedByID.map { ($0.key, $0.value) } }
    /// What only API v1 knows, by its path.
    var v1Objects: [(path: String, value: JSONValue)] { v1ObjectsByPath.map { ($0.key, $0.value) } }

    public var rooms: [Group] { groups.filter { $0.kind == .room } }
    /// The home as a group.
    var whole: Group? { groupsByID.values.first { $0.kind == .bridgeHome } }

    public func lamp(_ id: ResourceID) -> Lamp? { lampsByID[id] }
    public func accessory(_ id: ResourceID) -> Accessory? { accessoriesByID[id] }
    public func group(_ id: ResourceID) -> Group? { groupsByID[id] }
    public func scene(_ id: ResourceID) -> Scene? { scenesByID[id] }
    func storedResource(_ id: ResourceID) -> JSONValue? { storedByID[id] }
    func v1Object(_ path: String) -> JSONValue? { v1ObjectsByPath[path] }

    /// The lamp of that id or name, case ignored.
    public func lamp(called text: String) -> Lamp? {
        lampsByID[ResourceID(text)] ?? lampsByID.values.first { $0.name.lowercased() == text.lowercased() }
    }

    /// The accessory of that id or name, case ignored.
    public func accessory(called text: String) -> Accessory? {
        accessoriesByID[ResourceID(text)]
            ?? accessoriesByID.values.first { $0.name.lowercased() == text.lowercased() }
    }

    func lamp(number: Int) -> Lamp? { lampsByID.values.first { $0.number == number } }
    func lamp(device: ResourceID) -> Lamp? { lampsByID.values.first { $0.ids.device == device } }
    func group(number: Int) -> Group? { groupsByID.values.first { $0.number == number } }
    func group(groupedLight: ResourceID) -> Group? { groupsByID.values.first { $0.groupedLight == groupedLight } }
    func scene(v1: String) -> Scene? { scenesByID.values.first { $0.v1 == v1 } }
    /// The room that a device, or a lamp's device, lies in.
    func room(of member: ResourceID) -> Group? {
        groupsByID.values.first { $0.kind == .room && ($0.lamps.contains(member) || $0.accessories.contains(member)) }
    }

    func lamps(of group: Group) -> [Lamp] { group.lamps.compactMap { lampsByID[$0] } }

    /// The first number from 1 that no light of API v1 has.
    var freeLampNumber: Int { (lampsByID.values.map(\.number).max() ?? 0) + 1 }
    /// The same for groups; entertainment configurations and the plain lists of API v1 count among them.
    var freeGroupNumber: Int {
        let others =
            storedByID.values.compactMap { $0["id_v1"]?.string?.groupNumber }
            + v1ObjectsByPath.keys.compactMap(\.groupNumber)
        return ((groupsByID.values.map(\.number) + others).max() ?? 0) + 1
    }
}

extension SimulatedHome.Bridge {
    // swift-format-ignore
    fileprivate func named    (_ n: String   ) -> Self { Self(id: id, name: n   , model: model, timeZone: timeZone, extras: extras, isSearching: isSearching, isLocated: isLocated) }
    // swift-format-ignore
    fileprivate func `in`     (_ z: String   ) -> Self { Self(id: id, name: name, model: model, timeZone: z       , extras: extras, isSearching: isSearching, isLocated: isLocated) }
    // swift-format-ignore
    fileprivate func with     (_ e: JSONValue) -> Self { Self(id: id, name: name, model: model, timeZone: timeZone, extras: e     , isSearching: isSearching, isLocated: isLocated) }
    // swift-format-ignore
    fileprivate func searching(_ s: Bool     ) -> Self { Self(id: id, name: name, model: model, timeZone: timeZone, extras: extras, isSearching: s          , isLocated: isLocated) }
    // swift-format-ignore
    fileprivate func located  (_ l: Bool     ) -> Self { Self(id: id, name: name, model: model, timeZone: timeZone, extras: extras, isSearching: isSearching, isLocated: l        ) }
}

extension SimulatedHome.Scene {
    /// 0…1, where nothing is said 0.5.
    var speed: Double { extras["speed"]?.double ?? 0.5 }
}

extension [Lamp.Change] {
    /// Whether a scene's look is over after it.
    fileprivate var changesLightState: Bool {
        contains {
            switch $0 {
            case .setting(.archetype), .setting(.powerup), .setting(.alert), .setting(.function), .setting(.mode): false
            // A palette that runs faster is the scene's still.
            case .playing(.palette): false
            case .turning, .setting, .powering, .playing(.nothing): true
            case .renaming, .cutting, .streaming, .signaling: false
            }
        }
    }
}

extension OrderedDictionary {
    /// What is not there is not changed.
    fileprivate func updating(_ key: Key, by change: (Value) -> Value) -> Self {
        guard let value = self[key] else { return self }
        return with(change(value), at: key)
    }

    fileprivate func with(_ value: Value, at key: Key) -> Self {
        var new = self
        new[key] = value
        return new
    }

    fileprivate func without(_ key: Key) -> Self {
        var new = self
        new[key] = nil
        return new
    }
}
