import HueWire
import Khipu
import Lighting

/// The home of one bridge as its resources describe it, and how they are connected: light, device, room, grouped light.
/// Takes in everything once and events after that; answers in the domain's words. A value without a socket or a clock.
struct HomeResources: Sendable {
    let bridge: Bridge.ID
    private(set) var lights: [ResourceID: LightMirror] = [:]
    private var order: [ResourceID] = []
    /// What lights list of effects and gradients: lamps of one model list the same, and share it.
    private var skills: Set<LightMirror.Skills> = []
    /// The lights of each device, in the bridge's order; nearly always one.
    private var lightsOfDevice: [ResourceID: [ResourceID]] = [:]
    /// The lights that each device says it has. A bridge that starts may list a device before its light.
    private var namedLights: [ResourceID: [ResourceID]] = [:]
    private(set) var groups: [ResourceID: Group] = [:]
    private(set) var groupOrder: [ResourceID] = []
    private var groupedLights: [ResourceID: ResourceID] = [:]
    var scenes: [ResourceID: SceneResource] = [:]
    private var smartScenes: [ResourceID: SmartSceneResource] = [:]
    /// Of both kinds.
    private var sceneOrder: [ResourceID] = []
    /// By their devices. Lamps with a battery are among them.
    private(set) var sensors: [ResourceID: SensorMirror] = [:]
    private(set) var sensorOrder: [ResourceID] = []
    /// Those of areas whose lamps notice who moves.
    private(set) var areaRooms: [ResourceID: ResourceID] = [:]
    private(set) var deviceOfPart: [ResourceID: ResourceID] = [:]
    private var deviceNames: [ResourceID: String] = [:]
    private(set) var products: [ResourceID: String] = [:]
    private var bridgeDevice: ResourceID?
    private(set) var bridgeName: String?
    /// The bridge's own.
    private(set) var firmware = Bridge.Firmware()
    /// What the bridge's clock showed when ours showed this: with its newest event.
    private var clocks: (bridge: ReportTime, ours: Timestamp)?
    private let rememberedColors: [Light.ID: [HueSaturation]]

    /// A room, a zone, or the whole home.
    struct Group: Sendable {
        let kind: Kind
        var name: String
        var children: [ResourceReference]
        enum Kind: Sendable { case room, zone, home }
    }

    /// - Parameter colors: what lights were asked to show, as far as it is remembered from before.
    init(bridge: Bridge.ID, remembering colors: [Light.ID: [HueSaturation]] = [:]) {
        self.bridge = bridge
        rememberedColors = colors
    }

    /// Takes in everything that the bridge has; what is not named is gone. Requested colours are kept, and what was told
    /// of sensors.
    mutating func load(_ resources: [Resource], at time: Timestamp) {
        let before = self
        self = HomeResources(bridge: bridge, remembering: rememberedColors)
        clocks = before.clocks
        for case let .device(device) in resources { name(device) }
        for case let .motionArea(area) in resources { take(area) }
        for resource in resources { take(resource, before.sensors, at: time) }
        for case let .connectivity(connectivity) in resources { reach(connectivity) }
        for (id, light) in lights {
            let remembered = light.requests(rememberedColors[self[id]] ?? [])
            lights[id]?.requestedColors = before.lights[id].map(\.requestedColors) ?? remembered
            lights[id]?.lastMirek = light.mirek ?? before.lights[id]?.lastMirek
            lights[id]?.requestedMirek = before.lights[id]?.requestedMirek
            if light.mirek == nil, let white = light.xy.flatMap({ lights[id]?.requestedWhite(at: $0) }) {
                lights[id]?.mirek = white
            }
        }
        bridgeName = bridgeDevice.flatMap { deviceNames[$0] }
        // The device that is the bridge is known only now.
        for resource in resources { hearOfFirmware(resource) }
    }

    /// Notes what a resource, or the part of it that an event names, says of the bridge's firmware. Lamps have updates,
    /// too.
    private mutating func hearOfFirmware(_ resource: Resource) {
        guard let bridgeDevice else { return }
        switch resource {
        case let .device(device) where device.id == bridgeDevice:
            firmware.version = device.productData?.softwareVersion ?? firmware.version
        case let .softwareUpdate(part) where (part.owner?.rid ?? deviceOfPart[part.id]) == bridgeDevice:
            if let state = part.state { firmware.update = FirmwareUpdate(state: state) }
        default: break
        }
    }

    private mutating func name(_ device: DeviceResource) {
        deviceNames[device.id] = device.metadata?.name
        products[device.id] = device.productData?.productName ?? device.productData?.modelID
        // Some emulators name no owner (chrivers/bifrost#76).
        for part in device.services { deviceOfPart[part.rid] = device.id }
        namedLights[device.id] = device.services.filter { $0.rtype == .light }.map(\.rid)
    }

    /// - Parameter before: the sensors as they were known before everything was read anew.
    private mutating func take(
        _ resource: Resource, _ before: [ResourceID: SensorMirror], at time: Timestamp
    ) {
        switch resource {
        case let .light(light):
            let owner = light.owner ?? deviceOfPart[light.id].map { ResourceReference($0, .device) }
            let name = owner.flatMap { deviceNames[$0.rid] } ?? light.metadata?.name ?? "Light"
            if let before = lights[light.id] { leaveDevice(before) } else { order.append(light.id) }
            var mirror = LightMirror(light, of: owner, name: name)
            mirror.skills = skills.insert(mirror.skills).memberAfterInsert
            mirror.signal = light.signaling?.status.flatMap { signal($0, at: time) }
            lights[light.id] = mirror
            if let device = mirror.device { lightsOfDevice[device, default: []].append(light.id) }
        case let .room(room): take(room, .room)
        case let .zone(zone): take(zone, .zone)
        case let .home(home): take(home, .home)
        case let .groupedLight(grouped): if let owner = grouped.owner { groupedLights[owner.rid] = grouped.id }
        case let .scene(scene):
            if scenes[scene.id] == nil { sceneOrder.append(scene.id) }
            scenes[scene.id] = scene
        case let .smartScene(scene):
            if smartScenes[scene.id] == nil { sceneOrder.append(scene.id) }
            smartScenes[scene.id] = scene
        case let .bridge(bridge): bridgeDevice = bridge.owner?.rid ?? deviceOfPart[bridge.id]
        case let .sensor(part):
            guard let device = device(of: part) else { return }
            if sensors[device] == nil { sensorOrder.append(device) }
            deviceOfPart[part.id] = device
            sensors[device, default: SensorMirror(device)].add(part, knownBefore: before[device], at: time)
        case .device, .connectivity, .motionArea, .softwareUpdate, .unknown: break
        }
    }

    /// An area is a sensor as a device is: its services are its parts.
    private mutating func take(_ area: MotionAreaResource) {
        if sensors[area.id] == nil { sensorOrder.append(area.id) }
        for service in area.services { deviceOfPart[service.rid] = area.id }
        if let room = area.group?.rid { areaRooms[area.id] = room }
        if let name = area.name { deviceNames[area.id] = name }
        products[area.id] = "MotionAware"
        var known = sensors[area.id]?.area ?? SensorMirror.Area()
        known.isEnabled = area.isEnabled ?? known.isEnabled
        known.isRunning = area.health.map { $0 != "not_running" } ?? known.isRunning
        sensors[area.id, default: SensorMirror(area.id)].area = known
    }

    private mutating func leaveDevice(_ light: LightMirror) {
        if let device = light.device { lightsOfDevice[device]?.removeAll { $0 == light.id } }
    }

    private mutating func take(_ group: GroupResource, _ kind: Group.Kind) {
        if groups[group.id] == nil { groupOrder.append(group.id) }
        groups[group.id] = Group(kind: kind, name: group.metadata?.name ?? "Room", children: group.children ?? [])
        // The services name the grouped light if its own resource came earlier or never comes.
        if let grouped = group.groupedLight { groupedLights[group.id] = grouped }
    }

    /// - Returns: the lights whose reachability changed, and a sensor.
    @discardableResult
    private mutating func reach(_ connectivity: ConnectivityResource) -> (lights: [ResourceID], sensor: ResourceID?) {
        guard let isReachable = connectivity.isReachable, let device = device(of: connectivity) else {
            return ([], nil)
        }
        let changed = (lightsOfDevice[device] ?? []).filter { lights[$0]?.isReachable != isReachable }
        for id in changed {
            lights[id]?.isReachable = isReachable
            // Nobody sees it blink; what it does when it is back is read then.
            if !isReachable { lights[id]?.signal = nil }
        }
        guard let sensor = sensors[device], sensor.isReachable != isReachable else { return (changed, nil) }
        sensors[device]?.isReachable = isReachable
        return (changed, sensor.isSensor ? device : nil)
    }

    /// The lights of a device that were out of reach when its connectivity was last told.
    func unreachableLights(of connectivity: ConnectivityResource) -> [ResourceID] {
        guard let device = device(of: connectivity) else { return [] }
        return (lightsOfDevice[device] ?? []).filter { lights[$0]?.isReachable == false }
    }

    func device(of connectivity: ConnectivityResource) -> ResourceID? {
        connectivity.owner?.rid ?? deviceOfPart[connectivity.id]
    }

    // MARK: - Events

    /// What is known of the lights that an event names.
    func lights(in event: EventContainer) -> [ResourceID: LightMirror] {
        var named: [ResourceID: LightMirror] = [:]
        for case let .light(part) in event.data { named[part.id] = lights[part.id] }
        return named
    }

    /// What an event means for the domain, and which lights are back in reach and should be read again.
    mutating func apply(
        _ event: EventContainer, at time: Timestamp
    ) -> (updates: [BridgeUpdate], reread: [ResourceID]) {
        if let created = event.created { clocks = (created, time) }
        let before = firmware
        var (updates, reread): ([BridgeUpdate], [ResourceID]) =
            switch event.kind {
            case .update: update(event.data, .event(created: event.created), at: time)
            case .add: (add(event.data, at: time), [])
            case .delete: (remove(event.data), [])
            case .other: ([], [])
            }
        if [.update, .add].contains(event.kind) { for resource in event.data { hearOfFirmware(resource) } }
        if firmware != before { updates.append(.firmware(bridge, firmware)) }
        return (updates, reread)
    }

    /// What resources, or the parts of them that an answer or event names, mean for the domain.
    mutating func update(
        _ resources: [Resource], _ occasion: SensorMirror.Occasion, at time: Timestamp
    ) -> (updates: [BridgeUpdate], reread: [ResourceID]) {
        var updates: [BridgeUpdate] = []
        var reread: [ResourceID] = []
        for resource in resources {
            switch resource {
            case let .light(part):
                if let report = lights[part.id]?.merge(part) { updates.append(.light(self[part.id], report)) }
                if let update = hear(part.signaling, of: part.id, at: time) { updates.append(update) }
            case let .connectivity(part):
                let (lights, sensor) = reach(part)
                if let sensor, let isReachable = part.isReachable {
                    updates.append(.sensor(self[sensor: sensor], Sensor.Report(reachable: isReachable)))
                }
                for id in lights {
                    let isReachable = self.lights[id]?.isReachable ?? true
                    updates.append(.light(self[id], Light.Report(LightPatch(), reachable: isReachable)))
                    if isReachable { reread.append(id) }
                }
            case let .device(part):
                guard let name = part.metadata?.name else { continue }
                let before = deviceNames[part.id]
                deviceNames[part.id] = name
                if part.id == bridgeDevice { bridgeName = name }
                for id in lightsOfDevice[part.id] ?? [] where lights[id]?.name != name {
                    lights[id]?.name = name
                    updates.append(.renamed(.light(self[id]), to: name))
                }
                if name != before, let sensor = sensor(part.id) { updates.append(.changed(.sensor(sensor))) }
            case let .room(part), let .zone(part):
                guard groups[part.id] != nil else { continue }
                if let name = part.metadata?.name { groups[part.id]?.name = name }
                let before = groups[part.id]?.children ?? []
                if let children = part.children { groups[part.id]?.children = children }
                // A room that was empty gets its grouped light with its first lamp.
                if let grouped = part.groupedLight { groupedLights[part.id] = grouped }
                if let room = room(part.id) { updates.append(.changed(.room(room))) }
                if let children = part.children { updates += moved(Set(before).symmetricDifference(children)) }
            case let .scene(part):
                guard let before = scenes[part.id], part.metadata?.name != nil || part.actions != nil else { continue }
                scenes[part.id] = before.merged(with: part)
                if let scene = scene(part.id) { updates.append(.changed(.scene(scene))) }
            case let .smartScene(part):
                guard let before = smartScenes[part.id], before != before.merged(with: part) else { continue }
                smartScenes[part.id] = before.merged(with: part)
                if let scene = scene(part.id) { updates.append(.changed(.scene(scene))) }
            case let .sensor(part):
                guard let device = device(of: part) else { continue }
                switch sensors[device]?.hear(part, occasion, at: time) {
                case let .happened(report)?: updates.append(.sensor(self[sensor: device], report))
                case .differs?: if let sensor = sensor(device) { updates.append(.changed(.sensor(sensor))) }
                case nil: break
                }
            case let .motionArea(part):
                guard let before = sensor(part.id) else { continue }
                take(part)
                if let sensor = sensor(part.id), sensor != before { updates.append(.changed(.sensor(sensor))) }
            case .home, .groupedLight, .bridge, .softwareUpdate, .unknown: break
            }
        }
        return (updates, reread)
    }

    /// - Returns: `nil` if the light blinks, or does not, as it did before.
    private mutating func hear(_ told: SignalingFeature?, of light: ResourceID, at time: Timestamp) -> BridgeUpdate? {
        guard let told, let before = lights[light], before.isReachable, told.status != before.signal?.status else {
            return nil
        }
        let running = told.status.flatMap { signal($0, at: time) }
        lights[light]?.signal = running
        return running == nil && before.signal == nil ? nil : .signal(self[light], lights[light]?.runningSignal)
    }

    /// - Returns: `nil` if it is over, or its end cannot be read.
    private func signal(_ status: SignalingFeature.Status, at time: Timestamp) -> LightMirror.Signal? {
        guard let told = status.end, var end = Timestamp(told) else { return nil }
        if let clocks, let left = told.seconds(since: clocks.bridge) { end = clocks.ours.advanced(by: .seconds(left)) }
        return end > time ? LightMirror.Signal(status: status, end: end) : nil
    }

    /// Notes that the time of a light's signal is over, whether or not its bridge tells so.
    mutating func endSignal(of light: ResourceID) -> BridgeUpdate? {
        guard lights[light]?.signal != nil else { return nil }
        lights[light]?.signal = nil
        return .signal(self[light], nil)
    }

    /// The sensors among devices that have come into a room, or left it.
    private func moved(_ devices: some Sequence<ResourceReference>) -> [BridgeUpdate] {
        devices.compactMap { sensor($0.rid) }.sorted { $0.id < $1.id }.map { .changed(.sensor($0)) }
    }

    /// Resources do not come in the order of their dependencies: a light may come before its device, a room before its
    /// lights.
    private mutating func add(_ resources: [Resource], at time: Timestamp) -> [BridgeUpdate] {
        let before = sensors
        for case let .device(device) in resources { name(device) }
        for case let .motionArea(area) in resources { take(area) }
        for resource in resources { take(resource, before, at: time) }
        for case let .connectivity(connectivity) in resources { reach(connectivity) }
        let things = resources.flatMap { resource -> [BridgeUpdate] in
            switch resource {
            case let .light(light):
                return lights[light.id].map { [.added(.light($0.light(self[light.id], at: time)))] } ?? []
            case let .room(group), let .zone(group):
                return (room(group.id).map { [.added(.room($0))] } ?? []) + moved(group.children ?? [])
            case let .scene(added): return scene(added.id).map { [.added(.scene($0))] } ?? []
            case let .smartScene(added): return scene(added.id).map { [.added(.scene($0))] } ?? []
            case .device, .home, .groupedLight, .connectivity, .bridge, .sensor, .motionArea, .softwareUpdate, .unknown:
                return []
            }
        }
        return things
            + sensorOrder.filter { sensors[$0] != before[$0] }.compactMap { device in
                sensor(device).map { before[device]?.isSensor == true ? .changed(.sensor($0)) : .added(.sensor($0)) }
            }
    }

    private mutating func remove(_ resources: [Resource]) -> [BridgeUpdate] {
        resources.flatMap { resource -> [BridgeUpdate] in
            switch resource {
            case let .light(light):
                order.removeAll { $0 == light.id }
                guard let removed = lights.removeValue(forKey: light.id) else { return [] }
                leaveDevice(removed)
                if let device = removed.device { namedLights[device]?.removeAll { $0 == light.id } }
                return [.removed(.light(self[removed.id]))]
            case let .room(group), let .zone(group):
                groupOrder.removeAll { $0 == group.id }
                guard let removed = groups.removeValue(forKey: group.id) else { return [] }
                return [.removed(.room(Room.ID(bridge, group.id)))] + moved(removed.children)
            case let .scene(scene):
                return scenes.removeValue(forKey: scene.id).map { removed(scene: $0.id) } ?? []
            case let .smartScene(scene):
                return smartScenes.removeValue(forKey: scene.id).map { removed(scene: $0.id) } ?? []
            case let .device(device):
                namedLights[device.id] = nil
                return removeSensor(device.id)
            case let .motionArea(area):
                areaRooms[area.id] = nil
                return removeSensor(area.id)
            case let .sensor(part):
                guard let device = deviceOfPart.removeValue(forKey: part.id), let before = sensors[device] else {
                    return []
                }
                sensors[device]?.remove(part.id)
                if let sensor = sensor(device) { return [.changed(.sensor(sensor))] }
                return before.isSensor ? removeSensor(device, isKnown: true) : []
            case .home, .groupedLight, .connectivity, .bridge, .softwareUpdate, .unknown: return []
            }
        }
    }

    private mutating func removed(scene: ResourceID) -> [BridgeUpdate] {
        sceneOrder.removeAll { $0 == scene }
        return [.removed(.scene(Scene.ID(bridge, scene)))]
    }

    /// - Parameter isKnown: whether the domain knows it in any case.
    private mutating func removeSensor(_ device: ResourceID, isKnown: Bool = false) -> [BridgeUpdate] {
        sensorOrder.removeAll { $0 == device }
        deviceOfPart = deviceOfPart.filter { $0.value != device }
        products[device] = nil
        let wasSensor = sensors.removeValue(forKey: device)?.isSensor ?? false
        return wasSensor || isKnown ? [.removed(.sensor(self[sensor: device]))] : []
    }

    /// What is known of a light is newer than what was just read of it. A light that is gone stays gone.
    mutating func keep(_ known: LightMirror) {
        guard let read = lights[known.id] else { return }
        var known = known
        known.name = read.name
        lights[known.id] = known
    }

    /// What is new about a light that was read again; `nil` if nothing is, so that an idle home fills no journal.
    mutating func refresh(_ resource: LightResource, at time: Timestamp) -> [BridgeUpdate] {
        let before = lights[resource.id]
        var updates: [BridgeUpdate] = []
        if let report = lights[resource.id]?.merge(resource), lights[resource.id] != before {
            updates.append(.light(self[resource.id], report))
        }
        if let update = hear(resource.signaling, of: resource.id, at: time) { updates.append(update) }
        return updates
    }

    /// Notes the colours that are about to be asked of a light, and the points that it makes of them.
    ///
    /// - Parameter besideOthers: whether it goes on to show those that were asked of it before.
    mutating func noteRequestedColors(
        _ points: [XY], as shown: [XY], of light: ResourceID, besideOthers: Bool = false
    ) {
        let requests = zip(points, shown).map { LightMirror.RequestedColor(xy: $1, color: HueSaturation($0)) }
        let others = besideOthers ? (lights[light]?.requestedColors ?? []).suffix(Self.mostRequests) : []
        lights[light]?.requestedColors = others + requests
    }

    /// Of colours that were asked for one after the other, so many are remembered.
    private static let mostRequests = 8

    /// Notes the white tone that is about to be asked of a light.
    mutating func noteRequestedWhite(_ mirek: Int, of light: ResourceID) { lights[light]?.requestedMirek = mirek }

    // MARK: - In the domain's words

    func everything(at time: Timestamp) -> BridgeUpdate {
        .home(
            bridge,
            lights: order.compactMap { id in lights[id]?.light(self[id], at: time) },
            rooms: groupOrder.compactMap { room($0) },
            scenes: sceneOrder.compactMap { scene($0) },
            sensors: allSensors
        )
    }

    private subscript(_ light: ResourceID) -> Light.ID { Light.ID(bridge, light) }

    /// The lights of a group, in the bridge's order. A room's children are devices, a zone's are lights.
    func members(of group: ResourceID) -> [ResourceID] {
        guard let group = groups[group] else { return [] }
        if group.kind == .home { return order }
        return group.children.flatMap { child in
            child.rtype == .light
                ? (lights[child.rid] == nil ? [] : [child.rid]) : lightsOfDevice[child.rid] ?? []
        }
    }

    func room(_ id: ResourceID) -> Room? {
        guard let group = groups[id], group.kind != .home else { return nil }
        return Room(
            id: Room.ID(bridge, id), name: group.name, kind: group.kind == .zone ? .zone : .room,
            lights: members(of: id).map { self[$0] })
    }

    func scene(_ id: ResourceID) -> Scene? {
        if let scene = smartScenes[id] {
            return Scene(
                id: Scene.ID(bridge, id), name: scene.metadata?.name ?? "Scene",
                room: scene.group.flatMap { self.room($0.rid)?.id }, smart: SmartScene(scene, on: bridge))
        }
        guard let scene = scenes[id] else { return nil }
        let owner = scene.group.flatMap { self.room($0.rid)?.id }
        return Scene(
            id: Scene.ID(bridge, id), name: scene.metadata?.name ?? "Scene", room: owner,
            lights: (scene.actions ?? []).map(\.target.rid).filter { lights[$0] != nil }.map { self[$0] },
            look: scene.look, turnsOff: scene.turnsOff?.filter { lights[$0] != nil }.map { self[$0] })
    }

    // MARK: - For commands

    /// What one command can reach: those of home, rooms and zones that have a grouped light, and of which every member is
    /// known. A lamp that the bridge has not listed yet would change with the others.
    var layout: [CommandScheduler.Group] {
        groupOrder.compactMap { group in
            guard hasAllMembers(group) else { return nil }
            return groupedLights[group].map { CommandScheduler.Group(groupedLight: $0, members: members(of: group)) }
        }
    }

    private func hasAllMembers(_ group: ResourceID) -> Bool {
        guard let group = groups[group] else { return false }
        func areKnown(_ named: [ResourceID]) -> Bool { named.allSatisfy { lights[$0] != nil } }
        if group.kind == .home { return namedLights.values.allSatisfy(areKnown) }
        return group.children.allSatisfy { child in
            child.rtype == .light ? lights[child.rid] != nil : areKnown(namedLights[child.rid] ?? [])
        }
    }

    /// The name of the room or zone that a grouped light stands for, in quotes; "the home" for that of all lights.
    func groupName(ofGroupedLight id: ResourceID) -> String? {
        guard let group = groupedLights.first(where: { $0.value == id }).flatMap({ groups[$0.key] }) else { return nil }
        return group.kind == .home ? "the home" : "'\(group.name)'"
    }

    /// The room or zone that a grouped light stands for, and what it holds; `nil` for the home.
    func group(ofGroupedLight id: ResourceID) -> (type: ResourceType, id: ResourceID, children: Set<ResourceReference>)?
    {
        guard let owner = groupedLights.first(where: { $0.value == id })?.key, let group = groups[owner],
            group.kind != .home
        else { return nil }
        return (group.kind == .zone ? .zone : .room, owner, Set(group.children))
    }

    /// Whether a member of a group is known: a lamp, or a device without one.
    func isKnown(_ member: ResourceReference) -> Bool { lights[member.rid] != nil || deviceNames[member.rid] != nil }

    func deviceName(_ device: ResourceID) -> String? { deviceNames[device] }

    func sceneName(_ scene: ResourceID) -> String? {
        (scenes[scene]?.metadata ?? smartScenes[scene]?.metadata)?.name
    }

    func type(ofScene scene: ResourceID) -> ResourceType { smartScenes[scene] == nil ? .scene : .smartScene }

    /// Whether a slot of a smart scene begins by what an event names of it.
    func begins(_ part: SmartSceneResource) -> Bool {
        part.active != nil && part.active != smartScenes[part.id]?.active
    }

    /// The lights that the scene sets; those of its room if the bridge does not say. Of a smart scene those of all its
    /// scenes.
    func lights(ofScene scene: ResourceID) -> [ResourceID] {
        if let smart = smartScenes[scene] {
            let targets = Set((smart.week ?? []).flatMap(\.slots).map(\.target.rid))
            let set = Set(targets.filter { scenes[$0] != nil }.flatMap(lights(ofScene:)))
            return order.filter(set.contains)
        }
        guard let scene = scenes[scene] else { return [] }
        let set = (scene.actions ?? []).map(\.target.rid).filter { lights[$0] != nil }
        return set.isEmpty ? scene.group.map { members(of: $0.rid) } ?? [] : set
    }

    func isZone(_ group: ResourceID) -> Bool { groups[group]?.kind == .zone }
}

extension FirmwareUpdate {
    /// As API v2 has it; `nil` for a state that nobody knows.
    fileprivate init?(state: String) {
        switch state {
        case "no_update": self = .upToDate
        case "update_pending": self = .pending
        case "ready_to_install": self = .ready
        case "installing": self = .installing
        default: return nil
        }
    }
}

extension GroupResource {
    fileprivate var groupedLight: ResourceID? { services.first { $0.rtype == .groupedLight }?.rid }
}

extension SceneResource {
    /// From its actions alone, not from what its lights show: reading the same scene again gives the same.
    fileprivate var look: [LightPatch]? {
        guard let updates = actions?.compactMap(\.action), !updates.isEmpty else { return nil }
        var look: [LightPatch] = []
        for update in updates where update.on != false {
            var tones: [LightPatch] = []
            if case let .mirek(mirek)? = update.color?.base { tones = [.ct(Mirek(mirek))] }
            tones += (update.color?.points ?? []).map { point in
                let color = HueSaturation(point)
                return .hsb(hue: color.hue, saturation: color.saturation, brightness: nil)
            }
            // Many effects have colours of their own, whatever they run over.
            if case let .effect(effect, _)? = update.color, effect.name != LightUpdate.Effect.none {
                tones = [LightPatch(tone: .effect(Light.Effect(storing: effect), over: tones.first?.tone))]
            }
            for tone in tones where !look.contains(tone) { look.append(tone) }
        }
        return look
    }

    fileprivate var turnsOff: [ResourceID]? {
        guard let actions = actions?.filter({ $0.action != nil }), !actions.isEmpty else { return nil }
        return actions.filter { $0.action?.on == false }.map(\.target.rid)
    }
}

extension QualifiedID {
    init(_ bridge: Bridge.ID, _ resource: ResourceID) {
        self.init(bridge: bridge, resource: resource.description)
    }

    var resourceID: ResourceID { ResourceID(resource) }
}

extension HomeResources {
    /// Whether a light has come or gone, by a list of all lights.
    func hasOtherLights(than lights: [Resource]) -> Bool {
        Set(lights.compactMap { if case let .light(light) = $0 { light.id } else { nil } }) != Set(self.lights.keys)
    }

    /// Whether a home that was read again has other rooms or scenes, or its bridge another name or firmware.
    func hasDifferentArrangement(from resources: [Resource], at time: Timestamp) -> Bool {
        var fresh = HomeResources(bridge: bridge)
        fresh.load(resources, at: time)
        guard case let .home(_, lights, rooms, scenes, sensors) = everything(at: time),
            case let .home(_, freshLights, freshRooms, freshScenes, freshSensors) = fresh.everything(at: time)
        else { return true }
        return Set(lights.map(\.label)) != Set(freshLights.map(\.label)) || rooms != freshRooms || scenes != freshScenes
            || bridgeName != fresh.bridgeName || firmware != fresh.firmware
            || sensors.map(\.silent) != freshSensors.map(\.silent)
    }
}

extension Light {
    /// What it is called, without what it shows.
    fileprivate var label: [String] { [id.description, name] }
}

extension Sensor {
    /// What it is, without what it reports.
    fileprivate var silent: Self {
        Sensor(
            id: id, name: name, product: product, room: room, abilities: abilities,
            buttons: buttons.map { Button($0.number) })
    }
}

/// What the bridge says, in the home's names. It names resources by their ids, in API v1 by their paths: "device
/// (grouped_light) 509fac50-… has communication issues, command (.on.on) may not have effect".
extension HomeResources {
    /// - Parameters:
    ///   - text: sentences joined by "; ". Those that differ only in the attribute are said once.
    ///   - raw: the bridge's own text, if it differs.
    func words(_ said: String, raw: String? = nil) -> BridgeWords {
        var text = said
        text.replace(/device \((\w+)\) ([\w\-]+)/) { match in
            // What a bridge says of a group is true of some of its lights; it does not say which.
            let group = match.1 == "grouped_light" ? "a light of " : ""
            return name(of: ResourceID(String(match.2)), ResourceType(rawValue: String(match.1))).map { group + $0 }
                ?? "a \(match.1.replacing("_", with: " "))"
        }
        text.replace(/resource, \/(light|group|scene)s\/(\w+)[\w\/]*,/) { match in
            let type: ResourceType = match.1 == "light" ? .light : match.1 == "scene" ? .scene : .groupedLight
            return name(of: ResourceID(String(match.2)), type) ?? "the \(match.1)"
        }
        text.replace(/light, (\w+),/) { match in name(of: ResourceID(String(match.1)), .light) ?? "a light" }
        text.replace(/[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/) { match in
            name(of: ResourceID(String(match.0).lowercased()), nil) ?? "a resource"
        }
        text.replace(/command \(\.[\w.]+\)/, with: "the command")
        var sentences: [Substring] = []
        for sentence in text.split(separator: "; ") where !sentences.contains(sentence) { sentences.append(sentence) }
        return BridgeWords(sentences.joined(separator: "; "), raw: raw ?? said)
    }

    /// - Parameter type: `nil` if it is not known; ids of API v2 are unique among all types.
    private func name(of id: ResourceID, _ type: ResourceType?) -> String? {
        switch type {
        case .light?: lights[id].map { "'\($0.name)'" }
        case .groupedLight?: groupName(ofGroupedLight: id)
        case .device?: deviceName(id).map { "'\($0)'" }
        case .scene?: sceneName(id).map { "scene '\($0)'" }
        case .room?, .zone?: groups[id].map { "'\($0.name)'" }
        default:
            name(of: id, .light) ?? name(of: id, .groupedLight) ?? name(of: id, .device) ?? name(of: id, .room)
                ?? name(of: id, .scene)
        }
    }
}

extension Delivery {
    /// The same, with the bridge's words in the home's names.
    func worded(in home: HomeResources) -> Delivery {
        switch self {
        case let .refused(words): .refused(home.words(words.text, raw: words.raw))
        case let .doubted(words, lights): .doubted(home.words(words.text, raw: words.raw), lights)
        default: self
        }
    }

    /// What the bridge said, word for word.
    var raw: String? {
        switch self {
        case let .refused(words), let .doubted(words, _): words.raw
        default: nil
        }
    }
}
