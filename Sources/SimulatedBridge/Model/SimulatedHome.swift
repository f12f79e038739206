import FoundationEssentials
public import HueWire
import OrderedCollections

/// Everything a simulated bridge knows of its home. A value: an event is the difference between two homes.
public struct SimulatedHome: Equatable, Codable, Sendable, ChangedByCopy {
    public private(set) var bridge: Bridge
    /// Each by its id, in the order of creation: those of the home file first.
    private var lampsByID: OrderedDictionary<ResourceID, Lamp>
    private var accessoriesByID: OrderedDictionary<ResourceID, Accessory>
    private var groupsByID: OrderedDictionary<ResourceID, Group>
    private var scenesByID: OrderedDictionary<ResourceID, Scene>
    /// Resources of API v2 that the bridge stores as clients wrote them: smart scenes, entertainment configurations,
    /// behaviour instances, geofence clients, service groups.
    private var storedByID: OrderedDictionary<ResourceID, JSONValue> = [:]
    /// Objects that only API v1 knows, by path: schedules, rules, resource links, light groups, CLIP sensors.
    private(set) var v1Objects = V1Objects()
    /// How many resources clients have ever created; new ids are derived from it, so that none is used twice.
    private(set) var made = 0

    /// The names in saved state.
    private enum CodingKeys: String, CodingKey {
        case bridge, lampsByID, accessoriesByID, groupsByID, scenesByID, made
        case storedByID = "keptByID"
        case v1Objects = "errandsByPath"
    }

    /// The bridge's own settings.
    public struct Bridge: Equatable, Codable, Sendable {
        /// 16 hex digits, lower case.
        public let id: String
        public internal(set) var name: String
        public let model: BridgeModel
        /// "Europe/Berlin".
        public internal(set) var timeZone = "Europe/Berlin"
        /// Further settings that API v1 wrote to `config`: `zigbeechannel`, `dhcp`, `proxyport` …
        public internal(set) var extras: JSONValue = [:]
        /// Whether it searches for new lamps.
        public internal(set) var isSearching = false
        /// Whether it has been given a location, which it never shows (v2 `geolocation`).
        public internal(set) var isLocated = false
        /// Of its own firmware; `nil` if there is no update. Saved state may lack it.
        public internal(set) var update: Update?

        /// As API v2 calls it (`device_software_update.state`).
        public enum Update: String, Codable, Sendable, CaseIterable {
            case pending = "update_pending"
            case ready = "ready_to_install"
            case installing
        }
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case updating (Updating ); public enum Updating : Equatable, Sendable { case lamp(ResourceID, by: [Lamp.Change]), accessory(ResourceID, by: [Accessory.Change]), group(ResourceID, by: [Group.Change]), scene(ResourceID, by: [Scene.Change]) }
        case renaming (Renaming ); public enum Renaming : Equatable, Sendable { case bridge(to: String) }
        case setting  (Setting  ); public enum Setting  : Equatable, Sendable { case timeZone(to: String), extras(to: JSONValue), searching(Bool), located(Bool), update(Bridge.Update?) }
        case recalling(Recalling); public enum Recalling: Equatable, Sendable { case scene(ResourceID, as: Scene.Status = .static, level: Int? = nil) }
        /// Adds what a client creates; increases ``made``.
        case adding   (Adding   ); public enum Adding   : Equatable, Sendable { case lamp(Lamp), accessory(Accessory), group(Group), scene(Scene), stored(ResourceID, JSONValue), v1Object(String, V1Object) }
        case replacing(Replacing); public enum Replacing: Equatable, Sendable { case stored(ResourceID, by: JSONValue), v1Object(String, by: V1Object) }
        /// Removes something and what depends on it: a group's scenes, a lamp's membership in groups and scenes.
        case removing (Removing ); public enum Removing : Equatable, Sendable { case lamp(ResourceID), accessory(ResourceID), group(ResourceID), scene(ResourceID), stored(ResourceID), v1Object(String) }
    }

    init(bridge: Bridge, lamps: [Lamp], accessories: [Accessory], groups: [Group], scenes: [Scene]) {
        self.bridge = bridge
        lampsByID = OrderedDictionary(uniqueKeysWithValues: lamps.map { ($0.id, $0) })
        accessoriesByID = OrderedDictionary(uniqueKeysWithValues: accessories.map { ($0.id, $0) })
        groupsByID = OrderedDictionary(uniqueKeysWithValues: groups.map { ($0.id, $0) })
        scenesByID = OrderedDictionary(uniqueKeysWithValues: scenes.map { ($0.id, $0) })
    }

    public func alter(by changes: Change...) -> Self { alter(by: changes) }
    public func alter(by changes: [Change]) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // One row, one axiom.
    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .updating (.lamp     (id, by: c)): with(\.lampsByID, lampsByID.updating(id) { $0.alter(by: c) }).with(\.scenesByID, c.changesLightState ? scenesByID.endingScenes(that: { $0.sets(id) }) : scenesByID)
        case let .updating (.accessory(id, by: c)): with(\.accessoriesByID, accessoriesByID.updating(id) { $0.alter(by: c) })
        case let .updating (.group    (id, by: c)): with(\.groupsByID, groupsByID.updating(id) { $0.alter(by: c) })
        case let .updating (.scene    (id, by: c)): with(\.scenesByID, scenesByID.updating(id) { $0.alter(by: c) })
        case let .renaming (.bridge    (to: name)): with(\.bridge.name, name)
        case let .setting  (.timeZone  (to: zone)): with(\.bridge.timeZone, zone)
        case let .setting  (.extras       (to: e)): with(\.bridge.extras, e)
        case let .setting  (.searching    (value)): with(\.bridge.isSearching, value)
        case let .setting  (.located      (value)): with(\.bridge.isLocated, value)
        case let .setting  (.update       (value)): with(\.bridge.update, value)
        case let .recalling(.scene(id, as: s, level: l)): recalled(id, as: s, level: l)
        case let .adding   (.lamp     (lamp     )): with(\.lampsByID, lampsByID.with(lamp, at: lamp.id)).with(\.groupsByID, groupsByID.mapValues { $0.joined(by: lamp.id) }).with(\.made, made + 1)
        case let .adding   (.accessory(accessory)): with(\.accessoriesByID, accessoriesByID.with(accessory, at: accessory.id)).with(\.made, made + 1)
        case let .adding   (.group    (group    )): with(\.groupsByID, groupsByID.with(group, at: group.id)).with(\.made, made + 1)
        case let .adding   (.scene    (scene    )): with(\.scenesByID, scenesByID.with(scene, at: scene.id)).with(\.made, made + 1)
        case let .adding   (.stored   (id, value)): with(\.storedByID, storedByID.with(value, at: id)).with(\.made, made + 1)
        case let .adding   (.v1Object (at, value)): with(\.v1Objects, v1Objects.with(value, at: at)).with(\.made, made + 1)
        case let .replacing(.stored   (id, by: v)): with(\.storedByID, storedByID.updating(id) { _ in v })
        case let .replacing(.v1Object (at, by: v)): with(\.v1Objects, v1Objects[at] == nil ? v1Objects : v1Objects.with(v, at: at))
        case let .removing (.lamp     (id       )): with(\.lampsByID, lampsByID.without(id)).with(\.groupsByID, groupsByID.mapValues { $0.without(id) }).with(\.scenesByID, scenesByID.mapValues { $0.without(id) }).with(\.storedByID, storedWithout(lamp(id)?.resources))
        case let .removing (.accessory(id       )): with(\.accessoriesByID, accessoriesByID.without(id)).with(\.groupsByID, groupsByID.mapValues { $0.without(id) }).with(\.storedByID, storedWithout(accessory(id)?.resources))
        case let .removing (.group    (id       )): with(\.groupsByID, groupsByID.without(id)).with(\.scenesByID, scenesByID.filter { $0.value.group != id }).with(\.storedByID, storedWithout(resources(ofGroup: id)))
        case let .removing (.scene    (id       )): with(\.scenesByID, scenesByID.without(id)).with(\.storedByID, storedWithout([id]))
        case let .removing (.stored   (id       )): with(\.storedByID, storedWithout([id]))
        case let .removing (.v1Object (at       )): with(\.v1Objects, v1Objects.without(at))
        }
    }

    /// The stored resources after others were removed.
    private func storedWithout(_ gone: Set<ResourceID>?) -> OrderedDictionary<ResourceID, JSONValue> {
        guard let gone, !gone.isEmpty else { return storedByID }
        var stored = storedByID
        for (id, document) in storedByID { stored[id] = gone.contains(id) ? nil : document.storedWithout(gone) }
        return stored
    }

    private func resources(ofGroup id: ResourceID) -> Set<ResourceID>? {
        groupsByID[id].map { group in
            let areas = storedByID.filter {
                $0.value["type"] == "motion_area_configuration" && $0.value["group"]?.rid == id
            }
            let services = areas.values.flatMap { $0["services"]?.array ?? [] }.compactMap(\.rid)
            return Set(
                [id, group.groupedLight] + scenesByID.values.filter { $0.group == id }.map(\.id) + areas.keys + services
            )
        }
    }

    /// - Parameter level: replaces the levels of the scene.
    private func recalled(_ id: ResourceID, as status: Scene.Status, level: Int?) -> Self {
        guard let scene = scenesByID[id] else { return self }
        let actions = Dictionary(scene.actions.map { ($0.lamp, $0.changes) }) { $1 }
        var lamps = lampsByID
        for (lamp, changes) in actions {
            lamps = lamps.updating(lamp) { lamp in
                let new = lamp.alter(by: changes)
                let dimming: [Lamp.Change] =
                    if let level, new.isOn, new.kind.dims { [.setting(.level(to: level))] } else { [] }
                // A palette runs only on colour lamps.
                let plays = status == .dynamicPalette && new.isOn && new.kind.gamut != nil
                return new.alter(by: dimming + (plays ? [.playing(.palette(speed: scene.speed))] : []))
            }
        }
        let scenes = scenesByID.updating(id) { $0.alter(by: .setting(.status(to: status))) }
        // A scene of another group ends too if it shares a lamp.
        let ending = scenes.endingScenes { other in
            other.id != id && (other.group == scene.group || other.actions.contains { actions[$0.lamp] != nil })
        }
        return with(\.lampsByID, lamps).with(\.scenesByID, ending)
    }
}

extension SimulatedHome {
    public var lamps: [Lamp] { Array(lampsByID.values) }
    public var accessories: [Accessory] { Array(accessoriesByID.values) }
    /// Rooms and zones, in the order of creation, and the whole home.
    public var groups: [Group] { Array(groupsByID.values) }
    public var scenes: [Scene] { Array(scenesByID.values) }
    /// Resources of API v2 that are stored as clients wrote them.
    var storedResources: [(id: ResourceID, document: JSONValue)] { storedByID.map { ($0.key, $0.value) } }

    public var rooms: [Group] { groups.filter { $0.kind == .room } }
    /// The home as a group.
    var whole: Group? { groupsByID.values.first { $0.kind == .bridgeHome } }

    public func lamp(_ id: ResourceID) -> Lamp? { lampsByID[id] }
    public func accessory(_ id: ResourceID) -> Accessory? { accessoriesByID[id] }
    public func group(_ id: ResourceID) -> Group? { groupsByID[id] }
    public func scene(_ id: ResourceID) -> Scene? { scenesByID[id] }
    func storedResource(_ id: ResourceID) -> JSONValue? { storedByID[id] }

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
    /// The room of an accessory or a lamp.
    func room(of member: ResourceID) -> Group? {
        groupsByID.values.first { $0.kind == .room && ($0.lamps.contains(member) || $0.accessories.contains(member)) }
    }

    func lamps(of group: Group) -> [Lamp] { group.lamps.compactMap { lampsByID[$0] } }

    /// The number in API v1 for the next light.
    var freeLampNumber: Int { (lampsByID.values.map(\.number).max() ?? 0) + 1 }
    /// The number in API v1 for the next group; entertainment configurations and light groups count as groups.
    var freeGroupNumber: Int {
        let others =
            storedByID.values.compactMap { $0["id_v1"]?.string?.groupNumber }
            + v1Objects.paths.compactMap(\.groupNumber)
        return ((groupsByID.values.map(\.number) + others).max() ?? 0) + 1
    }
}

extension [Lamp.Change] {
    /// Whether it ends the scene that the lamp shows.
    fileprivate var changesLightState: Bool {
        contains {
            switch $0 {
            case .setting(.archetype), .setting(.powerup), .setting(.alert), .setting(.function), .setting(.mode): false
            // A faster palette, and each of its colours, still belong to the scene.
            case .playing(.palette), .playing(.color): false
            case .turning, .setting, .powering, .playing(.nothing): true
            case .renaming, .cutting, .streaming, .signaling: false
            }
        }
    }
}

extension OrderedDictionary {
    /// Changes the value of a key; nothing happens if there is none.
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

extension OrderedDictionary<ResourceID, SimulatedHome.Scene> {
    /// Sets the matching scenes that are active to inactive.
    fileprivate func endingScenes(that match: (SimulatedHome.Scene) -> Bool) -> Self {
        mapValues { $0.isActive && match($0) ? $0.alter(by: .setting(.status(to: .inactive))) : $0 }
    }
}

extension SimulatedHome.Group {
    /// The group after a lamp was added to the bridge: the whole home has every lamp.
    fileprivate func joined(by lamp: ResourceID) -> Self {
        kind == .bridgeHome ? alter(by: .setting(.lamps(to: lamps + [lamp]))) : self
    }
}

extension SimulatedHome {
    /// The changes that give a room or zone exactly these members. A device is in one room at most, so it leaves any
    /// other; scenes lose the actions of lamps that leave their group.
    func settingMembers(of group: Group, to lamps: [ResourceID], _ accessories: [ResourceID]) -> [Change] {
        var changes: [Change] = []
        if group.kind == .room {
            for room in rooms where room.id != group.id {
                let (otherLamps, otherAccessories) = (room.lamps.without(lamps), room.accessories.without(accessories))
                guard (otherLamps, otherAccessories) != (room.lamps, room.accessories) else { continue }
                changes.append(
                    .updating(
                        .group(
                            room.id,
                            by: [.setting(.lamps(to: otherLamps)), .setting(.accessories(to: otherAccessories))])))
                changes += removingActions(of: Set(lamps), in: room.id)
            }
        }
        if (lamps, accessories) != (group.lamps, group.accessories) {
            changes.append(
                .updating(.group(group.id, by: [.setting(.lamps(to: lamps)), .setting(.accessories(to: accessories))])))
            changes += removingActions(of: Set(group.lamps.without(lamps)), in: group.id)
        }
        return changes
    }

    /// The changes that remove the actions of these lamps from the scenes of a group.
    private func removingActions(of lamps: Set<ResourceID>, in group: ResourceID) -> [Change] {
        scenes.filter { scene in scene.group == group && scene.actions.contains { lamps.contains($0.lamp) } }.map {
            .updating(.scene($0.id, by: [.setting(.actions(to: $0.actions.filter { !lamps.contains($0.lamp) }))]))
        }
    }
}

extension [ResourceID] {
    fileprivate func without(_ gone: [ResourceID]) -> Self {
        let gone = Set(gone)
        return filter { !gone.contains($0) }
    }
}

extension SimulatedHome {
    /// Recalls a scene and notes the time of the recall.
    func recalling(_ scene: ResourceID, as status: Scene.Status = .static, level: Int? = nil, at date: Date) -> [Change]
    {
        [
            .recalling(.scene(scene, as: status, level: level)),
            .updating(.scene(scene, by: [.setting(.recall(at: date))])),
        ]
    }
}

/// Changes of the home, and the radio messages that carry them to the lamps.
struct HomeUpdate: Equatable, Sendable {
    var changes: [SimulatedHome.Change] = []
    var radio: [RadioMessage] = []
}

/// A model whose `Change` table names only what changes.
protocol ChangedByCopy {}

extension ChangedByCopy {
    /// A copy with one property set; everything else is carried over.
    func with<Value>(_ property: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
        var copy = self
        copy[keyPath: property] = value
        return copy
    }
}
