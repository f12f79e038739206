#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A colour as people set it: hue and saturation, each 0…1, at full value. Its brightness is the level.
public struct HueSaturation: Hashable, Sendable {
    /// Around the colour circle: 0 is red, 1/3 green, 2/3 blue, 1 red again.
    public let hue: Double
    /// From white to the full colour.
    public let saturation: Double

    public init(hue: Double, saturation: Double) {
        self.hue = hue
        self.saturation = saturation
    }

    /// Converts by sRGB and the wide-gamut matrix of the Hue ecosystem (diyHue, `colors.py`; Q42.HueApi). The inverse
    /// of ``init(_:)`` for every colour; limiting it to a gamut is up to the caller.
    public var xy: XY {
        let (r, g, b) = rgb
        let (red, green, blue) = (Self.linear(r), Self.linear(g), Self.linear(b))
        let x = red * 0.664511 + green * 0.154324 + blue * 0.162028
        let y = red * 0.283881 + green * 0.668433 + blue * 0.047685
        let z = red * 0.000088 + green * 0.072310 + blue * 0.986039
        // At full value one channel is 1, so the sum is never 0.
        return XY(x: x / (x + y + z), y: y / (x + y + z))
    }

    /// The hue and saturation that look like the point at full value.
    public init(_ point: XY) {
        let y = max(point.y, 1e-6)
        let (big, deep) = (point.x / y, (1 - point.x - point.y) / y)
        // The exact inverse of the matrix above, so that a round trip changes nothing.
        let red = max(0, Self.inverse[0] * big + Self.inverse[1] + Self.inverse[2] * deep)
        let green = max(0, Self.inverse[3] * big + Self.inverse[4] + Self.inverse[5] * deep)
        let blue = max(0, Self.inverse[6] * big + Self.inverse[7] + Self.inverse[8] * deep)
        let top = max(red, green, blue, 1e-9)
        self.init(red: Self.encoded(red / top), green: Self.encoded(green / top), blue: Self.encoded(blue / top))
    }

    /// The hue and saturation of an sRGB colour, each channel 0…1.
    public init(red: Double, green: Double, blue: Double) {
        let top = max(red, green, blue)
        let span = top - min(red, green, blue)
        guard span > 0, top > 0 else {
            self.init(hue: 0, saturation: 0)
            return
        }
        let sector: Double
        if top == red {
            sector = (green - blue) / span
        } else if top == green {
            sector = (blue - red) / span + 2
        } else {
            sector = (red - green) / span + 4
        }
        self.init(hue: (sector < 0 ? sector + 6 : sector) / 6, saturation: span / top)
    }

    /// At full value, each 0…1.
    public var rgb: (red: Double, green: Double, blue: Double) {
        let position = (hue - hue.rounded(.down)) * 6
        let rising = saturation * (1 - abs(position.truncatingRemainder(dividingBy: 2) - 1))
        let white = 1 - saturation
        let (r, g, b): (Double, Double, Double) =
            switch position {
            case ..<1: (saturation, rising, 0)
            case ..<2: (rising, saturation, 0)
            case ..<3: (0, saturation, rising)
            case ..<4: (0, rising, saturation)
            case ..<5: (rising, 0, saturation)
            default: (saturation, 0, rising)
            }
        return (r + white, g + white, b + white)
    }

    private static func linear(_ channel: Double) -> Double {
        channel <= 0.04045 ? channel / 12.92 : pow((channel + 0.055) / 1.055, 2.4)
    }

    private static func encoded(_ channel: Double) -> Double {
        channel <= 0.0031308 ? 12.92 * channel : 1.055 * pow(channel, 1 / 2.4) - 0.055
    }

    /// Rows R, G, B over X, Y, Z. Computed rather than copied: the published inverse has only six digits.
    private static let inverse: [Double] = {
        let m = [0.664511, 0.154324, 0.162028, 0.283881, 0.668433, 0.047685, 0.000088, 0.072310, 0.986039]
        let cofactors = [
            m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
            m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
            m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3],
        ]
        let determinant = m[0] * cofactors[0] + m[1] * cofactors[3] + m[2] * cofactors[6]
        return cofactors.map { $0 / determinant }
    }()
}

/// The grid of levels. A lamp has 254 steps, `bri` 1…254; bridges report them as (bri − 1) / 253 in per cent, so that
/// a written 50 comes back as 49.80 (openhab/openhab-addons#21742).
public enum Level {
    /// The step nearest to a level in per cent. 0 per cent is step 1, because the lowest level is not off.
    public static func bri(percent: Double) -> Int {
        // NaN is not above 0 either.
        1 + Int(((percent > 0 ? min(percent, 100) : 0) * 2.53).rounded())
    }

    /// The level in per cent as bridges report it: two decimals.
    public static func percent(bri: Int) -> Double {
        (Double(min(max(bri, 1), 254) - 1) / 253 * 10_000).rounded() / 100
    }
}
