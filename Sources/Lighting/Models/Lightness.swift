#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How light something looks, by the CIE's L*: from 0, black, to 100, full brightness. Equal steps of it look equal.
///
/// A level, our brightness, is a step of the lamp's control. The lamp's own curve makes light of it, which no bridge
/// tells. Measured on the maker's lamps, half a level is about a quarter of the light (CNET, 2019: "your smart bulbs
/// aren't dimming the way you think they are"), so the light is taken as the square of the level.
enum Lightness {
    /// - Parameter level: 0…1.
    /// - Returns: 0…100.
    static func of(level: Double) -> Double {
        let light = level * level
        return light > cut ? 116 * cbrt(light) - 16 : light * slope
    }

    /// - Parameter lightness: 0…100; what is outside is held to the ends.
    /// - Returns: 0…1.
    static func level(of lightness: Double) -> Double {
        let held = min(max(lightness, 0), 100)
        let root = (held + 16) / 116
        let light = held > cut * slope ? root * root * root : held / slope
        return light.squareRoot()
    }

    // Below this share of full light L* is a straight line (CIE 15).
    private static let cut = 216.0 / 24389
    private static let slope = 24389.0 / 27
}
