import HueWire

/// What a simulated lamp can do.
public enum LampKind: String, Codable, Sendable, CaseIterable {
    /// Colours of gamut C, and whites.
    case color
    /// Colours of gamut A and no whites, as the early lamps.
    case bloom
    /// Whites from cool to warm.
    case ambiance
    /// Levels of one white.
    case dimmable
    /// On and off.
    case plug

    var dims: Bool { self != .plug }

    var gamut: (triangle: Gamut, type: String)? {
        switch self {
        case .color: (.c, "C")
        case .bloom: (.a, "A")
        case .ambiance, .dimmable, .plug: nil
        }
    }

    var whites: MirekSchema? {
        switch self {
        case .color: MirekSchema(153, 500)
        case .ambiance: MirekSchema(153, 454)
        case .bloom, .dimmable, .plug: nil
        }
    }

    /// As the real products say.
    var product: (model: String, name: String, archetype: String) {
        switch self {
        case .color: ("LCA001", "Hue color lamp", "sultan_bulb")
        case .bloom: ("LLC011", "Hue bloom", "hue_bloom")
        case .ambiance: ("LTA001", "Hue ambiance lamp", "sultan_bulb")
        case .dimmable: ("LWA001", "Hue white lamp", "sultan_bulb")
        case .plug: ("LOM001", "Hue smart plug", "plug")
        }
    }
}
