import HueWire
import Khipu
import Lighting

extension HomeResources {
    /// Takes in all lights as a bridge without events just answered them. Only changes become updates.
    ///
    /// - Parameter isOfNow: whether what was answered about a light is still true.
    /// - Returns: `isAnotherHome`: whether a light has come or gone, so that everything must be read.
    mutating func compare(
        with lights: [Resource], at time: Timestamp, where isOfNow: (ResourceID) -> Bool = { _ in true }
    ) -> (updates: [BridgeUpdate], isAnotherHome: Bool) {
        let isAnotherHome = hasOtherLights(than: lights)
        let news = lights.filter { resource in
            if case let .light(light) = resource { isOfNow(light.id) && isNew(light) } else { true }
        }
        // A light that is back needs no second read: its state came in the same answer.
        return (apply(EventContainer(.update, news), at: time).updates, isAnotherHome)
    }

    /// Whether a light has come or gone, by a list of all lights.
    func hasOtherLights(than lights: [Resource]) -> Bool {
        Set(lights.compactMap { if case let .light(light) = $0 { light.id } else { nil } }) != Set(self.lights.keys)
    }

    private func isNew(_ light: LightResource) -> Bool {
        guard let before = lights[light.id] else { return false }
        var after = before
        _ = after.merge(light)
        return after != before
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
