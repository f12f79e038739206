import HueWire

/// The kind of a simulated lamp.
public enum LampKind: String, Codable, Sendable, CaseIterable {
    /// Colours of gamut C, and whites.
    case color
    /// Colours of gamut B, and whites: the first bulbs.
    case original
    /// Colours of gamut A and no whites, as the early lamps.
    case bloom
    /// A strip of several colours at once: gamut C, whites, five points.
    case gradient
    /// Colours, and whites over the wide range of the lamps of 2026: 50…1000 mirek.
    case wide
    /// Whites from cool to warm.
    case ambiance
    /// Levels of one white.
    case dimmable
    /// On and off.
    case plug

    var dims: Bool { self != .plug }

    var gamut: (triangle: Gamut, type: String)? {
        switch self {
        case .color, .gradient, .wide: (.c, "C")
        case .original: (.b, "B")
        case .bloom: (.a, "A")
        case .ambiance, .dimmable, .plug: nil
        }
    }

    var whites: MirekSchema? {
        switch self {
        case .color, .original, .gradient: MirekSchema(153, 500)
        case .wide: MirekSchema(50, 1000)
        case .ambiance: MirekSchema(153, 454)
        case .bloom, .dimmable, .plug: nil
        }
    }

    /// How many points of a gradient it shows; 0 if it shows one colour.
    var points: Int { self == .gradient ? 5 : 0 }

    /// How those points can be arranged.
    static let gradientModes = ["interpolated_palette", "interpolated_palette_mirrored", "random_pixelated"]

    /// Its effects, besides "no_effect".
    var effects: [String] {
        switch self {
        case .color, .gradient, .wide:
            ["candle", "fire", "prism", "sparkle", "opal", "glisten", "underwater", "cosmos", "sunbeam", "enchant"]
        case .ambiance: ["candle"]
        case .original, .bloom, .dimmable, .plug: []
        }
    }

    /// Its timed effects.
    var timedEffects: [String] { effects.isEmpty ? [] : ["sunrise", "sunset"] }

    /// The names of the real product. `v1` is the type in API v1.
    var product: (model: String, name: String, archetype: String, v1: String) {
        switch self {
        case .color: ("LCA001", "Hue color lamp", "sultan_bulb", "Extended color light")
        case .original: ("LCT001", "Hue bulb A19", "sultan_bulb", "Extended color light")
        case .bloom: ("LLC011", "Hue bloom", "hue_bloom", "Color light")
        case .gradient: ("LCX004", "Hue gradient lightstrip", "hue_lightstrip", "Extended color light")
        case .wide: ("LCA011", "Hue color lamp", "sultan_bulb", "Extended color light")
        case .ambiance: ("LTA001", "Hue ambiance lamp", "sultan_bulb", "Color temperature light")
        case .dimmable: ("LWA001", "Hue white lamp", "sultan_bulb", "Dimmable light")
        case .plug: ("LOM001", "Hue smart plug", "plug", "On/Off plug-in unit")
        }
    }
}
