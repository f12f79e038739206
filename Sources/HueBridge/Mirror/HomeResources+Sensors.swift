import HueWire
import Khipu
import Lighting

/// Sensors and switches: each is a device, whose parts are resources of their own.
extension HomeResources {
    /// What its sensors tell when something happens, and not only measure.
    var sensorTypes: [ResourceType] {
        let all = Set(sensors.values.flatMap { $0.parts.values.map(\.type) })
        return [.motion, .contact, .button, .rotary].filter(all.contains)
    }

    /// Whether a sensor has come or gone, by all of these types.
    func hasOtherSensors(than resources: [Resource], of types: [ResourceType]) -> Bool {
        let read = resources.compactMap {
            if case let .sensor(part) = $0, types.contains(part.type) { device(of: part) } else { nil }
        }
        let known = sensors.values.filter { $0.parts.values.contains { types.contains($0.type) } }.map(\.device)
        return Set(read) != Set(known)
    }

    /// The device that a resource is a part of.
    func device(of part: SensorResource) -> ResourceID? { part.owner?.rid ?? deviceOfPart[part.id] }

    /// Whether a person or a sensor has just done something, by what is reported of this part.
    func isNews(_ part: SensorResource, _ occasion: SensorMirror.Occasion) -> Bool {
        device(of: part).flatMap { sensors[$0] }?.isNews(part, occasion) ?? false
    }

    subscript(sensor device: ResourceID) -> Sensor.ID { Sensor.ID(bridge, device) }

    /// In the bridge's order.
    var allSensors: [Sensor] {
        var rooms: [ResourceID: Room.ID] = [:]
        for (id, group) in groups where group.kind == .room {
            for child in group.children { rooms[child.rid] = Room.ID(bridge, id) }
        }
        return sensorOrder.compactMap { sensor($0, in: rooms[$0]) }
    }

    /// `nil` if the device is none.
    func sensor(_ device: ResourceID) -> Sensor? { sensor(device, in: room(of: device)) }

    private func sensor(_ device: ResourceID, in room: Room.ID?) -> Sensor? {
        guard let known = sensors[device], known.isSensor else { return nil }
        return known.sensor(
            self[sensor: device], name: deviceName(device) ?? "Sensor", product: products[device], in: room)
    }

    /// The room that a device is in; zones have no devices.
    private func room(of device: ResourceID) -> Room.ID? {
        groups.first { $0.value.kind == .room && $0.value.children.contains { $0.rid == device } }
            .map { Room.ID(bridge, $0.key) }
    }
}
