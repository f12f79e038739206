import HueWire

extension SimulatedHome {
    /// The home that a file describes.
    public init(_ file: HomeFile, seed: UInt64) {
        let derive = DerivedID(seed: seed)
        let model = file.bridge?.model ?? .square
        let lamps = file.rooms.flatMap(\.lights).enumerated().map { index, light in
            Lamp(light, number: index + 1, derive)
        }
        // API v1 counts a daylight sensor first, which every bridge has.
        var sensor = 2
        let accessories = file.rooms.flatMap { $0.accessories ?? [] }.map { accessory in
            defer { sensor += accessory.kind.sensors }
            return Accessory(accessory, number: sensor, derive)
        }
        let ids = Dictionary(lamps.map { ($0.name, $0.id) }) { first, _ in first }
        let accessoryIDs = Dictionary(accessories.map { ($0.name, $0.id) }) { first, _ in first }
        var groups: [Group] = []
        func add(
            _ kind: ResourceType, _ name: String, _ archetype: String, _ members: [ResourceID],
            _ accessories: [ResourceID] = []
        ) {
            let number = kind == .bridgeHome ? 0 : groups.count + 1
            groups.append(
                Group(
                    id: derive.uuid(kind.rawValue, name), kind: kind, name: name, archetype: archetype, number: number,
                    lamps: members, accessories: accessories,
                    groupedLight: derive.uuid("grouped_light", "\(kind)/\(name)")))
        }
        for room in file.rooms {
            add(
                .room, room.name, room.archetype ?? "other", room.lights.compactMap { ids[$0.name] },
                (room.accessories ?? []).compactMap { accessoryIDs[$0.name] })
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
                groupKind: group.kind, actions: actions, extras: scene.extras)
        }
        let home = SimulatedHome(
            bridge: Bridge(
                id: model.prefix + derive.bridge, name: file.bridge?.name ?? model.productName, model: model),
            lamps: lamps, accessories: accessories, groups: groups, scenes: scenes)
        var context = DecisionContext(home: home)
        context.derive = derive
        for area in file.areas ?? [] { context.home = context.home.with(area, in: context) }
        for area in file.motionAreas ?? [] { context.home = context.home.with(area, derive) }
        self = context.home
    }

    /// The home with an area in which all lamps of a room watch.
    private func with(_ area: HomeFile.MotionArea, _ derive: DerivedID) -> Self {
        guard let room = rooms.first(where: { $0.name == area.room }) else { return self }
        let documents = MotionArea.documents(area.name, in: room, lamps(of: room), derive)
        return alter(by: documents.map { .adding(.stored($0.id, $0.document)) })
    }

    /// The home with an area, created like one of a client: its lamps in a row in front.
    private func with(_ area: HomeFile.Area, in context: DecisionContext) -> Self {
        let lamps = area.lights.compactMap { lamp(called: $0) }
        let placements = lamps.enumerated().map { index, lamp in
            EntertainmentArea.Placement(
                lamp: lamp, positions: [EntertainmentArea.position(index, of: lamps.count, y: 0.8)])
        }
        let locations = EntertainmentArea.members(of: placements)["locations"] ?? [:]
        let body: JSONValue = [
            "metadata": ["name": .string(area.name)], "configuration_type": .string(area.kind ?? "screen"),
            "locations": locations,
        ]
        let request = V2API.Request(method: "POST", type: EntertainmentArea.type, body: body.wire)
        return alter(by: V2API.decide(request, in: context).changes)
    }
}

extension Lamp {
    fileprivate init(_ light: HomeFile.Light, number: Int, _ derive: DerivedID) {
        self.init(
            id: derive.uuid("light", light.name),
            name: light.name,
            kind: light.kind,
            number: number,
            ids: Services(derive, light.name),
            lightState: LightState(
                isOn: light.on ?? false,
                level: light.brightness.map { Level.bri(percent: $0) } ?? 254,
                tint: light.kind.whites.map { .white(mirek: min(max(light.mirek ?? 366, $0.minimum), $0.maximum)) }
                    ?? light.kind.powerOnTint)
        )
    }
}

extension Lamp.Services {
    init(_ derive: DerivedID, _ name: String) {
        self.init(
            device: derive.uuid("device", name),
            connectivity: derive.uuid("zigbee_connectivity", name),
            entertainment: derive.uuid("entertainment", name),
            zigbee: derive.zigbee(name)
        )
    }
}

extension Accessory {
    fileprivate init(_ accessory: HomeFile.Accessory, number: Int, _ derive: DerivedID) {
        self.init(
            id: derive.uuid("device", "accessory/\(accessory.name)"), name: accessory.name, kind: accessory.kind,
            number: number,
            services: accessory.kind.services.map { type, control in
                Service(
                    type: type, id: derive.uuid(type.rawValue, "accessory/\(accessory.name)/\(control)"),
                    control: control)
            },
            zigbee: derive.zigbee("accessory/\(accessory.name)"))
    }
}

extension SimulatedHome.Scene.Action {
    /// A light that the scene in the file does not name is switched off.
    fileprivate init(_ lightState: HomeFile.LightState?, _ lamp: Lamp) {
        guard let lightState else {
            self.init(lamp: lamp.id, on: false)
            return
        }
        var tint: LightState.Tint?
        if let xy = lightState.xy, xy.count == 2, let gamut = lamp.kind.gamut {
            tint = .color(gamut.triangle.held(XY(x: xy[0], y: xy[1])))
        } else if let mirek = lightState.mirek, let whites = lamp.kind.whites {
            tint = .white(mirek: min(max(mirek, whites.minimum), whites.maximum))
        }
        let points = lightState.gradient?.map { XY(x: $0[0], y: $0[1]) }
        self.init(
            lamp: lamp.id, on: lightState.on ?? true,
            level: lamp.kind.dims ? lightState.brightness.map { Level.bri(percent: $0) } : nil, tint: tint,
            effect: lightState.effect.map { .running($0) },
            gradient: lamp.kind.points > 0
                ? points.map { $0.map { lamp.kind.gamut?.triangle.held($0) ?? $0 } } : nil)
    }
}

extension HomeFile.Scene {
    /// What API v2 stores of a scene besides its actions.
    fileprivate var extras: JSONValue {
        var members: [String: JSONValue] = [:]
        if let palette {
            members["palette"] = [
                "color": .array(
                    palette.map {
                        [
                            "color": ["xy": .point(XY(x: $0[0], y: $0[1]))], "dimming": ["brightness": 100],
                        ]
                    }), "dimming": [], "color_temperature": [], "effects": [],
            ]
        }
        if let dynamic { members["auto_dynamic"] = .bool(dynamic) }
        return .object(members)
    }
}
