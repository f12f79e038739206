import HueWire

/// A home of API v1 as resources of API v2, so that the rest of the gateway need not know which API it was. A light,
/// its device and its connectivity have the light's number; a group and its grouped light have the group's.
extension V1Home {
    /// The number of the group of all lights, which is in no list.
    static let whole = ResourceID("0")
    /// The bridge as a device: an id that no light has.
    private static let bridge = ResourceID("bridge")

    var resources: [Resource] {
        lights.resources + sensors.resources + home + groups.members.flatMap { group($0.value, id: $0.id) }
            + scenes.members.map { scene($0.value, id: $0.id) } + bridge
    }

    private func group(_ group: V1Group, id: String) -> [Resource] {
        let devices = sensors.devices.filter { device in device.sensors.contains { group.sensors.contains($0.id) } }
        return group.resources(of: id, devices.map(\.id))
    }

    private var home: [Resource] {
        let children = lights.switchable.map { ResourceReference(ResourceID($0.id), .light) }
        let grouped = ResourceReference(Self.whole, .groupedLight)
        return [
            .home(GroupResource(id: Self.whole, metadata: nil, children: children, services: [grouped])),
            .groupedLight(GroupedLightResource(id: Self.whole, owner: ResourceReference(Self.whole, .bridgeHome))),
        ]
    }

    /// A scene without lights of its own sets all lights of its group.
    private func scene(_ scene: V1Scene, id: String) -> Resource {
        let lights = scene.lights.isEmpty ? scene.group.flatMap { groups[$0]?.lights } ?? [] : scene.lights
        let group = scene.group.flatMap { id in groups[id]?.kind.map { ResourceReference(ResourceID(id), $0) } }
        return .scene(
            SceneResource(
                id: ResourceID(id), metadata: Metadata(name: scene.name),
                group: group ?? ResourceReference(Self.whole, .bridgeHome), actions: .lights(lights)))
    }

    private var bridge: [Resource] {
        guard let config else { return [] }
        let id = config.bridgeid.map { BridgeID.normalized($0) }
        let device = ResourceReference(Self.bridge, .device)
        return [
            .device(
                DeviceResource(
                    id: Self.bridge, metadata: config.name.map { Metadata(name: $0) },
                    productData: ProductData(
                        modelID: config.modelid, productName: nil, softwareVersion: config.swversion))),
            .bridge(BridgeResource(id: Self.bridge, bridgeID: id, owner: device)),
            .softwareUpdate(SoftwareUpdateResource(id: Self.bridge, owner: device, state: updateStateOfV2)),
        ]
    }

    /// What API v2 calls it; another stays as it is.
    private var updateStateOfV2: String? {
        switch updateState {
        case "noupdates": "no_update"
        case "transferring": "update_pending"
        case "readytoinstall", "anyreadytoinstall", "allreadytoinstall": "ready_to_install"
        default: updateState
        }
    }
}

extension V1List<V1Light> {
    /// Every light as light, device and connectivity.
    var resources: [Resource] { switchable.flatMap { $0.value.resources(of: $0.id) } }

    fileprivate var switchable: [Member] { members.filter(\.value.isSwitchable) }
}

extension V1Light {
    /// The light of that number, its device, and whether the bridge reaches it; empty if it cannot be switched.
    func resources(of number: String) -> [Resource] {
        guard isSwitchable else { return [] }
        let id = ResourceID(number)
        let device = ResourceReference(id, .device)
        let name = name.map { Metadata(name: $0) }
        let light = LightResource(
            id: id, owner: device, metadata: name, on: state.on.map { On($0) },
            dimming: dims ? state.bri.map { Dimming(Level.percent(bri: $0), minDimLevel: minDimLevel) } : nil,
            colorTemperature: white,
            color: point.map { ColorFeature($0, gamut: gamut, gamutType: gamutType) }, oldEffects: state.effects,
            mode: state.mode == "streaming" ? "streaming" : "normal",
            powerup: startup?.powerup)
        return [
            .light(light),
            .device(
                DeviceResource(
                    id: id, metadata: name,
                    productData: ProductData(modelID: model, productName: product, softwareVersion: softwareVersion),
                    services: [ResourceReference(id, .light), ResourceReference(id, .connectivity)])),
            .connectivity(
                ConnectivityResource(
                    id: id, owner: device, status: state.reachable == false ? "connectivity_issue" : "connected")),
        ]
    }

    /// API v1 also reports the nearest temperature of a coloured light; API v2 does not.
    private var white: ColorTemperature? {
        guard let ct = state.ct else { return nil }
        return ColorTemperature(mirek: isWhite ? ct : nil, valid: isWhite, schema: whites ?? MirekSchema(153, 500))
    }
}

extension V1Group {
    /// What API v2 calls it; `nil` for groups that nobody asks for by name: entertainment areas, lamps of several
    /// parts, groups of switches. A plain list of lights is a zone: it may share lights with others.
    var kind: ResourceType? {
        guard !isHidden else { return nil }
        return switch type {
        case "Room": .room
        case "Zone", "LightGroup", nil: .zone
        default: nil
        }
    }

    /// - Parameter devices: the devices of its sensors.
    fileprivate func resources(of number: String, _ devices: [ResourceID]) -> [Resource] {
        guard let kind else { return [] }
        let id = ResourceID(number)
        let group = GroupResource(
            id: id, metadata: name.map { Metadata(name: $0) },
            children: lights.map { ResourceReference(ResourceID($0), .light) }
                + devices.map { ResourceReference($0, .device) },
            services: [ResourceReference(id, .groupedLight)])
        let grouped = GroupedLightResource(id: id, owner: ResourceReference(id, kind))
        let scenes = scenes.map { scene in
            Resource.scene(
                SceneResource(
                    id: OwnScene.id(scene.id, in: number), metadata: Metadata(name: scene.name),
                    group: ResourceReference(id, kind), actions: .lights(lights)))
        }
        return [kind == .room ? .room(group) : .zone(group), .groupedLight(grouped)] + scenes
    }
}

extension V1Group.OwnScene {
    /// Two groups may each have a scene 1. No scene of a Hue bridge has a slash in its id.
    static func id(_ scene: String, in group: String) -> ResourceID { ResourceID("\(group)/\(scene)") }

    /// The group and the scene's number in it; `nil` for a scene of a Hue bridge.
    static func place(_ id: ResourceID) -> (group: Substring, scene: Substring)? {
        let text = id.description
        guard let slash = text.firstIndex(of: "/") else { return nil }
        return (text[..<slash], text[text.index(after: slash)...])
    }
}

extension V1Scene {
    /// A scene that was read alone, with what it sets on each light.
    func resource(of id: ResourceID) -> Resource {
        let actions = lightStates.sorted { ($0.key.count, $0.key) < ($1.key.count, $1.key) }.map { number, state in
            SceneResource.Action(ResourceReference(ResourceID(number), .light), LightUpdate(state))
        }
        return .scene(SceneResource(id: id, metadata: Metadata(name: name), group: nil, actions: actions))
    }
}

extension LightUpdate {
    fileprivate init(_ state: V1Light.State) {
        self.init(
            on: state.on, brightness: state.bri.map { Level.percent(bri: $0) },
            color: state.point.map { .xy($0) } ?? state.ct.map { .mirek($0) })
    }
}

extension [SceneResource.Action] {
    fileprivate static func lights(_ numbers: [String]) -> Self {
        numbers.map { SceneResource.Action(ResourceReference(ResourceID($0), .light)) }
    }
}

/// Sensors of API v1 as resources of API v2. Those with the address of one device are its parts; the device has the id of
/// the first of them, "sensors/7", and the name of the one that counts.
extension V1List<V1Sensor> {
    struct Device {
        let id: ResourceID
        var sensors: [Member]
    }

    /// In the order of their first numbers.
    var devices: [Device] {
        var devices: [Device] = []
        var places: [Substring: Int] = [:]
        for sensor in members where sensor.value.kind != nil {
            if let address = sensor.value.device, let place = places[address] {
                devices[place].sensors.append(sensor)
            } else {
                if let address = sensor.value.device { places[address] = devices.count }
                devices.append(Device(id: V1Sensor.device(sensor.id), sensors: [sensor]))
            }
        }
        return devices
    }

    var resources: [Resource] { devices.flatMap(\.resources) }
}

extension V1Sensor {
    /// No light has such an id.
    static func device(_ number: String) -> ResourceID { ResourceID("sensors/\(number)") }
    static func isDevice(_ id: ResourceID) -> Bool { id.description.hasPrefix("sensors/") }

    /// How many buttons a switch has whose bridge does not say: the Tap and the first dimmer.
    private static let usualButtons = 4

    /// - Parameter id: of the sensor; each of its buttons has one of its own.
    fileprivate func parts(_ id: ResourceID, of device: ResourceReference) -> [SensorResource] {
        func part(_ type: ResourceType) -> SensorResource {
            SensorResource(id: id, type: type, owner: device, isEnabled: isEnabled, report: report)
        }
        switch kind {
        case .motion: return [part(.motion)]
        case .contact: return [part(.contact)]
        case .lightLevel: return [part(.lightLevel)]
        case .temperature: return [part(.temperature)]
        case .rotary: return [part(.rotary)]
        case .buttons:
            return (1...max(buttons ?? Self.usualButtons, button ?? 1)).map { number in
                SensorResource(
                    id: ResourceID("\(id)/\(number)"), type: .button, owner: device, isEnabled: isEnabled,
                    control: number, report: number == button ? report : nil)
            }
        case nil: return []
        }
    }

    fileprivate var namesDevice: Bool { isPrimary ?? [.motion, .buttons, .contact].contains(kind) }
}

extension V1List<V1Sensor>.Device {
    fileprivate var resources: [Resource] {
        let device = ResourceReference(id, .device)
        let named = (sensors.first { $0.value.namesDevice } ?? sensors.first)?.value
        var parts = sensors.flatMap { $0.value.parts(V1Sensor.device($0.id), of: device) }
        if let battery = sensors.lazy.compactMap(\.value.battery).first {
            parts.append(
                SensorResource(
                    id: ResourceID("\(id)/power"), type: .devicePower, owner: device,
                    report: SensorReport(.battery(battery), at: nil)))
        }
        let isReachable = sensors.lazy.compactMap(\.value.isReachable).first ?? true
        return [
            .device(
                DeviceResource(
                    id: id, metadata: named?.name.map { Metadata(name: $0) },
                    productData: ProductData(modelID: named?.model, productName: named?.product, softwareVersion: nil),
                    services: parts.map { ResourceReference($0.id, $0.type) })),
            .connectivity(
                ConnectivityResource(
                    id: id, owner: device, status: isReachable ? "connected" : "connectivity_issue")),
        ] + parts.map { .sensor($0) }
    }
}
