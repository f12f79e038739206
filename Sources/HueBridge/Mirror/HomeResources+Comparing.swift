import HueWire
import Khipu
import Lighting

extension HomeResources {
    /// Whether a light has come or gone, by a list of all lights.
    func hasOtherLights(than lights: [Resource]) -> Bool {
        Set(lights.compactMap { if case let .light(light) = $0 { light.id } else { nil } }) != Set(self.lights.keys)
    }

    /// Whether a home that was read again has other rooms or scenes, or another name.
    func isArranged(otherwiseThan resources: [Resource], at time: Timestamp) -> Bool {
        var fresh = HomeResources(bridge: bridge)
        fresh.load(resources, at: time)
        guard case let .home(_, lights, rooms, scenes, sensors) = everything(at: time),
            case let .home(_, freshLights, freshRooms, freshScenes, freshSensors) = fresh.everything(at: time)
        else { return true }
        return Set(lights.map(\.label)) != Set(freshLights.map(\.label)) || rooms != freshRooms || scenes != freshScenes
            || bridgeName != fresh.bridgeName
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
