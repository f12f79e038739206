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
        fresh.load(resources)
        guard case let .home(_, _, rooms, scenes) = everything(at: time),
            case let .home(_, _, freshRooms, freshScenes) = fresh.everything(at: time)
        else { return true }
        return rooms != freshRooms || scenes != freshScenes || bridgeName != fresh.bridgeName
    }
}
