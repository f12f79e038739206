public import HueWire

/// Everything a simulated bridge knows of its home. A value: what happened is the difference of two.
public struct SimulatedHome: Equatable, Sendable {
    public let name: String
    public let model: String
    public let bridgeID: String
    /// In the file's order.
    public let lamps: [Lamp]
    /// Rooms, zones, and last the whole home.
    public let groups: [Group]
    public let scenes: [Scene]

    /// A room, a zone, or all lamps.
    public struct Group: Equatable, Sendable, Identifiable {
        public let id: ResourceID
        public let kind: ResourceType
        public let name: String
        public let archetype: String
        /// Its number in API v1; 0 for the home.
        public let number: Int
        public let lamps: [ResourceID]
        public let groupedLight: ResourceID

        func renamed(_ name: String) -> Self {
            Self(
                id: id, kind: kind, name: name, archetype: archetype, number: number, lamps: lamps,
                groupedLight: groupedLight)
        }
    }

    public struct Scene: Equatable, Sendable, Identifiable {
        public let id: ResourceID
        public let name: String
        public let group: ResourceID
        /// `room` or `zone`.
        public let groupKind: ResourceType
        public let actions: [Action]
        public let isActive: Bool

        public struct Action: Equatable, Sendable {
            public let lamp: ResourceID
            public let on: Bool
            public let level: Int?
            public let tint: Lamp.Tint?

            var changes: [Lamp.Change] {
                [.turning(.it(on: on))] + (level.map { [.setting(.level(to: $0))] } ?? [])
                    + (tint.map { [.setting(.tint(to: $0))] } ?? [])
            }
        }

        func altered(name: String? = nil, isActive: Bool? = nil) -> Self {
            Self(
                id: id, name: name ?? self.name, group: group, groupKind: groupKind, actions: actions,
                isActive: isActive ?? self.isActive)
        }
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case updating (Updating ); public enum Updating : Equatable, Sendable { case lamp(ResourceID, by: [Lamp.Change]) }
        case renaming (Renaming ); public enum Renaming : Equatable, Sendable { case group(ResourceID, to: String), scene(ResourceID, to: String) }
        case recalling(Recalling); public enum Recalling: Equatable, Sendable { case scene(ResourceID) }
    }

    private init(
        _ name: String, _ model: String, _ bridgeID: String, _ lamps: [Lamp], _ groups: [Group], _ scenes: [Scene]
    ) {
        self.name = name
        self.model = model
        self.bridgeID = bridgeID
        self.lamps = lamps
        self.groups = groups
        self.scenes = scenes
    }

    public func alter(by changes: Change...) -> Self { alter(by: changes) }
    public func alter(by changes: [Change]) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .updating (.lamp (id, by: c)): Self(name, model, bridgeID, lamps.map { $0.id == id ? $0.alter(by: c) : $0 }, groups                                              , scenes.map { c.changesLook && $0.sets(id) ? $0.altered(isActive: false) : $0 })
        case let .renaming (.group(id, to: n)): Self(name, model, bridgeID, lamps                                           , groups.map { $0.id == id ? $0.renamed(n) : $0 }     , scenes                                                     )
        case let .renaming (.scene(id, to: n)): Self(name, model, bridgeID, lamps                                           , groups                                              , scenes.map { $0.id == id ? $0.altered(name: n) : $0 }      )
        case let .recalling(.scene(id       )): recalled(id)
        }
    }

    private func recalled(_ id: ResourceID) -> Self {
        guard let scene = scenes.first(where: { $0.id == id }) else { return self }
        let actions = Dictionary(scene.actions.map { ($0.lamp, $0.changes) }) { $1 }
        return Self(
            name, model, bridgeID,
            lamps.map { lamp in actions[lamp.id].map { lamp.alter(by: $0) } ?? lamp },
            groups,
            scenes.map { other in
                if other.id == id { return other.altered(isActive: true) }
                // Another group's scene is over too where it shares a lamp.
                let isOver = other.group == scene.group || other.actions.contains { actions[$0.lamp] != nil }
                return isOver ? other.altered(isActive: false) : other
            }
        )
    }

    public var rooms: [Group] { groups.filter { $0.kind == .room } }

    public func lamp(_ id: ResourceID) -> Lamp? { lamps.first { $0.id == id } }

    /// The lamp of that id or name, case ignored.
    public func lamp(called text: String) -> Lamp? {
        lamps.first { $0.id.description == text } ?? lamps.first { $0.name.lowercased() == text.lowercased() }
    }

    func lamps(of group: Group) -> [Lamp] {
        let wanted = Set(group.lamps)
        return lamps.filter { wanted.contains($0.id) }
    }
}

extension [Lamp.Change] {
    /// Whether a scene's look is over after it.
    fileprivate var changesLook: Bool {
        contains {
            switch $0 {
            case .turning, .setting, .powering: true
            case .renaming, .cutting: false
            }
        }
    }
}

extension SimulatedHome.Scene {
    fileprivate func sets(_ lamp: ResourceID) -> Bool { actions.contains { $0.lamp == lamp } }
}

extension SimulatedHome {
    /// The home that a file describes.
    public init(_ file: HomeFile, seed: UInt64) {
        let derive = DerivedID(seed: seed)
        let lamps = file.rooms.flatMap(\.lights).enumerated().map { place, light in
            Lamp(light, number: place + 1, derive)
        }
        let ids = Dictionary(lamps.map { ($0.name, $0.id) }) { first, _ in first }
        var groups: [Group] = []
        func add(_ kind: ResourceType, _ name: String, _ archetype: String, _ members: [ResourceID]) {
            let number = kind == .bridgeHome ? 0 : groups.count + 1
            groups.append(
                Group(
                    id: derive.uuid(kind.rawValue, name), kind: kind, name: name, archetype: archetype, number: number,
                    lamps: members, groupedLight: derive.uuid("grouped_light", "\(kind)/\(name)")))
        }
        for room in file.rooms {
            add(.room, room.name, room.archetype ?? "other", room.lights.compactMap { ids[$0.name] })
        }
        for zone in file.zones ?? [] {
            add(.zone, zone.name, zone.archetype ?? "home", zone.lights.compactMap { ids[$0] })
        }
        add(.bridgeHome, "home", "home", lamps.map(\.id))
        let named = Dictionary(lamps.map { ($0.id, $0) }) { $1 }
        let scenes: [Scene] = (file.scenes ?? []).compactMap { scene in
            guard let group = groups.first(where: { $0.name == scene.group && $0.kind != .bridgeHome }) else {
                return nil
            }
            let actions = group.lamps.compactMap { named[$0] }.map { lamp in
                Scene.Action(scene.lights[lamp.name], lamp)
            }
            return Scene(
                id: derive.uuid("scene", "\(group.name)/\(scene.name)"), name: scene.name, group: group.id,
                groupKind: group.kind, actions: actions, isActive: false)
        }
        self.init(
            file.bridge?.name ?? "Hue Bridge", file.bridge?.model ?? "BSB002", derive.bridge, lamps, groups, scenes)
    }
}

extension Lamp {
    fileprivate init(_ light: HomeFile.Light, number: Int, _ derive: DerivedID) {
        self.init(
            id: derive.uuid("light", light.name),
            name: light.name,
            kind: light.kind,
            number: number,
            ids: Services(
                device: derive.uuid("device", light.name),
                connectivity: derive.uuid("zigbee_connectivity", light.name),
                zigbee: derive.zigbee(light.name)
            ),
            isOn: light.on ?? false,
            level: light.brightness.map { Level.bri(percent: $0) } ?? 254,
            tint: light.kind.whites.map { .white(mirek: min(max(light.mirek ?? 366, $0.minimum), $0.maximum)) }
                ?? light.kind.dawn
        )
    }
}

extension SimulatedHome.Scene.Action {
    /// A light that the scene's file does not name is switched off.
    fileprivate init(_ look: HomeFile.Look?, _ lamp: Lamp) {
        self.lamp = lamp.id
        guard let look else {
            (on, level, tint) = (false, nil, nil)
            return
        }
        on = look.on ?? true
        level = lamp.kind.dims ? look.brightness.map { Level.bri(percent: $0) } : nil
        if let xy = look.xy, xy.count == 2, let gamut = lamp.kind.gamut {
            tint = .color(gamut.triangle.nearest(to: XY(x: xy[0], y: xy[1])).rounded)
        } else if let mirek = look.mirek, let whites = lamp.kind.whites {
            tint = .white(mirek: min(max(mirek, whites.minimum), whites.maximum))
        } else {
            tint = nil
        }
    }
}
