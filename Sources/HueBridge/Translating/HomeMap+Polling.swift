import HueWire
import Khipu
import Lighting

extension HomeMap {
    /// Takes in all lights as a bridge without events was just asked to tell them, and tells what is new of them: of an idle house
    /// nothing.
    ///
    /// - Returns: `isAnotherHome`: whether a light has come or gone, so that everything is to be read.
    mutating func compare(with lights: [Resource], at time: Timestamp) -> (tidings: [Tidings], isAnotherHome: Bool) {
        var told: Set<ResourceID> = []
        let news = lights.filter { resource in
            guard case let .light(light) = resource else { return true }
            told.insert(light.id)
            return isNews(light)
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
}
