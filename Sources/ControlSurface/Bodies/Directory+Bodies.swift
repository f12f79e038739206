public import ControlProtocol
import HashTreeCollections
public import Lighting

/// Lists as surfaces show them, in the order in which people read them.
extension Directory {
    public var lightBodies: [LightBody] { bodies(of: lights) }

    public func bodies(of lights: [Light]) -> [LightBody] {
        let (rooms, zones) = (roomOfLight, zonesOfLight)
        return lights.map { $0.body(room: rooms[$0.id], zones: zones[$0.id] ?? [], in: self) }
    }

    public var roomBodies: [RoomBody] { rooms.map { body(of: $0) } }

    public func body(of room: Room) -> RoomBody {
        let lights = lights(of: .room(room.id))
        let lit = lights.filter { $0.power == .on && !$0.freshness.isInDoubt }
        func count(_ freshness: LightBody.Freshness) -> Int? {
            let count = lights.count { $0.freshness.body == freshness }
            return count > 0 ? count : nil
        }
        return RoomBody(
            id: room.id.description,
            name: room.name,
            kind: room.kind,
            lights: room.lights.map(\.description),
            on: lit.count,
            unreachable: count(.unreachable),
            stale: count(.stale),
            brightness: lit.meanBrightness?.percent,
            scene: state.shownScene(of: room.id).flatMap { shown in
                scene(shown.scene).map {
                    RoomBody.ShownScene(id: $0.id.description, name: $0.name, changed: shown.isChanged)
                }
            },
            bridge: room.id.bridge.description
        )
    }

    /// - Parameter departure: of a light that is in another room now.
    func body(of departure: Room.Departure) -> CommandReply.Moved {
        CommandReply.Moved(
            target: departure.light.description, name: plainName(of: .light(departure.light)) ?? "",
            room: plainName(of: .room(departure.room)) ?? departure.room.description,
            scenes: departure.scenes.compactMap { scene($0)?.name })
    }

    public var sceneBodies: [SceneBody] { scenes.map { body(of: $0) } }

    func body(of scene: Scene) -> SceneBody {
        SceneBody(
            id: scene.id.description, name: scene.name, room: roomName(of: scene),
            lights: lights(of: scene).map(\.description), bridge: scene.id.bridge.description,
            place: state.orderedPlace(of: scene).map { $0 + 1 }, smart: scene.smart.map { body(of: $0) })
    }

    /// Those that it is known to set.
    func lights(of scene: Scene) -> [Light.ID] {
        scene.smart == nil ? scene.lights : state.lights(of: scene.id) ?? []
    }

    private func body(of smart: SmartScene) -> SmartSceneBody {
        SmartSceneBody(
            active: smart.isActive, current: smart.current.map { body(of: $0) }, transition: smart.transition,
            week: smart.week.map { .init(days: $0.weekdays.description, slots: $0.slots.map { body(of: $0) }) })
    }

    private func body(of slot: SmartScene.Slot) -> SmartSceneBody.Slot {
        .init(
            start: slot.start.description, scene: scene(slot.scene)?.name ?? slot.scene.description,
            id: slot.scene.description)
    }

    /// - Parameter states: what the scene sets on its lights.
    func body(of scene: Scene, setting states: [DesiredState]) -> SceneValuesBody {
        SceneValuesBody(
            id: scene.id.description, name: scene.name, room: roomName(of: scene),
            bridge: scene.id.bridge.description,
            values: states.map { state in
                .init(
                    target: state.light.description, name: light(state.light)?.name ?? state.light.description,
                    power: state.power, LightValuesBody(of: state.values))
            },
            smart: scene.smart.map { body(of: $0) })
    }

    public var sensorBodies: [SensorBody] { bodies(of: sensors) }

    public func bodies(of sensors: [Sensor]) -> [SensorBody] { sensors.map { $0.body(room: roomName(of: $0)) } }

    public var bridgeBodies: [BridgeBody] {
        let lights = lights
        return bridges.map { bridge in bridge.body(lights: lights.count { $0.id.bridge == bridge.id }) }
    }

    /// The bridges that lightd has not reached since it started: it knows nothing of what they have.
    public var unreadBridges: [Bridge] {
        bridges.filter { bridge in
            !bridge.isConnected && !state.lights.keys.contains { $0.bridge == bridge.id }
                && !state.sensors.keys.contains { $0.bridge == bridge.id }
                && !state.rooms.keys.contains { $0.bridge == bridge.id }
        }
    }

    func body(of bridge: Bridge) -> BridgeBody {
        bridge.body(lights: lights(of: .all).count { $0.id.bridge == bridge.id })
    }

    public var pinBodies: [PinBody] {
        dashboard.pins.map { PinBody(target: $0.target.text, name: plainName(of: $0.target), display: $0.display) }
    }

    private func plainName(of target: Target) -> String? {
        switch target {
        case let .light(id): light(id)?.name
        case let .room(id): room(id)?.name
        case .all: "all"
        }
    }
}

extension Target {
    /// The target by its id, as commands take it: "BRIDGE/LIGHT", "@BRIDGE/ROOM", "all".
    var text: String {
        switch self {
        case let .light(id): id.description
        case let .room(id): "@\(id)"
        case .all: "all"
        }
    }
}
