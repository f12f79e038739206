import HueWire
import Khipu
import Lighting

extension HomeMirror {
    /// Takes in all lights as a bridge without events was just asked to tell them, and tells what is new of them: of an idle house
    /// nothing.
    ///
    /// - Parameter isOfNow: whether what is told of a light can be believed.
    /// - Returns: `isAnotherHome`: whether a light has come or gone, so that everything is to be read.
    mutating func compare(
        with lights: [Resource], at time: Timestamp, where isOfNow: (ResourceID) -> Bool = { _ in true }
    ) -> (tidings: [BridgeUpdate], isAnotherHome: Bool) {
        var told: Set<ResourceID> = []
        let news = lights.filter { resource in
            guard case let .light(light) = resource else { return true }
            told.insert(light.id)
            return isOfNow(light.id) && isNews(light)
        }
        // A lamp that is back needs no second look: what it shows came in the same answer.
        return (apply(EventContainer(.update, news), at: time).tidings, told != Set(self.lights.keys))
    }

    private func isNews(_ light: LightResource) -> Bool {
        guard let before = lights[light.id] else { return false }
        var after = before
        _ = after.merge(light)
        return after != before
    }

    /// Whether a home read afresh has other rooms or scenes, or another name.
    func isArranged(otherwiseThan resources: [Resource], at time: Timestamp) -> Bool {
        var fresh = HomeMirror(bridge: bridge)
        fresh.load(resources)
        guard case let .home(_, _, rooms, scenes) = home(at: time),
            case let .home(_, _, freshRooms, freshScenes) = fresh.home(at: time)
        else { return true }
        return rooms != freshRooms || scenes != freshScenes || bridgeName != fresh.bridgeName
    }
}
