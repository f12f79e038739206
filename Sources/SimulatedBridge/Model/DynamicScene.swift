import HueWire

/// How a dynamic scene moves its lamps through the colours of its palette. The pace is ours: nobody has measured a
/// bridge's (docs/lightsim.md).
extension SimulatedHome.Scene {
    /// 0…1; 0.5 unless the scene sets one.
    var speed: Double { extras["speed"]?.double ?? 0.5 }

    /// How long a lamp takes from one colour to the next: 30 s at the lowest speed, 2 s at the highest.
    var pace: Duration { .seconds(30 - 28 * speed) }

    /// The next colour of each lamp that it moves, neighbours one colour apart. None if its palette has no colours.
    ///
    /// - Parameter now: decides where in the palette the lamps are.
    func nextColors(in home: SimulatedHome, at now: Duration) -> [(lamp: ResourceID, color: XY)] {
        let colors = (extras["palette"]?["color"]?.array ?? []).compactMap { entry -> XY? in
            guard let point = entry["color"]?["xy"], let x = point["x"]?.double, let y = point["y"]?.double else {
                return nil
            }
            return XY(x: x, y: y)
        }
        guard !colors.isEmpty else { return [] }
        let step = Int(now / pace)
        return actions.enumerated().compactMap { place, action in
            guard let lamp = home.lamp(action.lamp), home.isMoved(lamp, by: id) else { return nil }
            let color = colors[(step + place) % colors.count]
            return (lamp.id, lamp.kind.gamut?.triangle.held(color) ?? color)
        }
    }
}

extension SimulatedHome {
    /// Whether a palette runs on a lamp, and no newer scene has begun it. One lamp of a scene may have got another colour:
    /// the others move on.
    fileprivate func isMoved(_ lamp: Lamp, by scene: ResourceID) -> Bool {
        lamp.palette != nil && !scenes.contains { $0.id != scene && $0.isActive && $0.sets(lamp.id) }
    }
}
