#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A colour as people write it on a command line and as terminals show it: "#ff8800", "#f80", "orange".
/// A lamp takes only its hue and saturation; the brightness is set separately.
public struct RGBColor: Hashable, Sendable {
    /// 0…1.
    public let red, green, blue: Double

    public init(red: Double, green: Double, blue: Double) {
        self.red = min(max(red, 0), 1)
        self.green = min(max(green, 0), 1)
        self.blue = min(max(blue, 0), 1)
    }

    /// Reads "#rrggbb", "#rgb" (with or without '#') or one of ``names``; case is ignored.
    public init?(_ text: String) {
        let text = text.lowercased()
        if let named = Self.names[text] {
            self = named
            return
        }
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }), digits.count == 3 || digits.count == 6 else {
            return nil
        }
        let full = digits.count == 6 ? String(digits) : digits.map { "\($0)\($0)" }.joined()
        guard let number = UInt32(full, radix: 16) else { return nil }
        self.init(number)
    }

    private init(_ number: UInt32) {
        self.init(
            red: Double(number >> 16 & 255) / 255,
            green: Double(number >> 8 & 255) / 255,
            blue: Double(number & 255) / 255
        )
    }

    /// The colour of a hue in degrees and a saturation in per cent, at full brightness.
    public init(hue: Double, saturation: Double) {
        let sector = (hue / 60).truncatingRemainder(dividingBy: 6)
        let position = sector < 0 ? sector + 6 : sector
        let chroma = min(max(saturation / 100, 0), 1)
        let rising = chroma * (1 - abs(position.truncatingRemainder(dividingBy: 2) - 1))
        let (r, g, b): (Double, Double, Double) =
            switch position {
            case ..<1: (chroma, rising, 0)
            case ..<2: (rising, chroma, 0)
            case ..<3: (0, chroma, rising)
            case ..<4: (0, rising, chroma)
            case ..<5: (rising, 0, chroma)
            default: (chroma, 0, rising)
            }
        let white = 1 - chroma
        self.init(red: r + white, green: g + white, blue: b + white)
    }

    /// The approximate colour on a screen of a white with this many mirek: for swatches, not for lamps.
    ///
    /// Source: Tanner Helland's fit to the blackbody table of Mitchell Charity, good to a few per cent from 1,000 to
    /// 40,000 K.
    public init(mirek: Int) {
        let t = min(max(1_000_000 / Double(max(mirek, 1)), 1000), 40000) / 100
        let red = t <= 66 ? 255 : 329.698727446 * pow(t - 60, -0.1332047592)
        let green =
            t <= 66 ? 99.4708025861 * log(t) - 161.1195681661 : 288.1221695283 * pow(t - 60, -0.0755148492)
        let blue = t >= 66 ? 255 : t <= 19 ? 0 : 138.5177312231 * log(t - 10) - 305.0447927307
        self.init(red: red / 255, green: green / 255, blue: blue / 255)
    }

    public var hex: String {
        "#"
            + [red, green, blue].map { channel in
                let digits = String(Int((channel * 255).rounded()), radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }.joined()
    }

    /// Degrees, 0…<360; 0 for a colour without hue.
    public var hue: Double {
        let top = max(red, green, blue)
        let span = top - min(red, green, blue)
        guard span > 0 else { return 0 }
        let sector =
            switch top {
            case red: (green - blue) / span
            case green: (blue - red) / span + 2
            default: (red - green) / span + 4
            }
        return (sector < 0 ? sector + 6 : sector) * 60
    }

    /// Per cent, 0…100.
    public var saturation: Double {
        let top = max(red, green, blue)
        return top > 0 ? (top - min(red, green, blue)) / top * 100 : 0
    }

    /// The names that `--color` takes, as in CSS.
    public static let names: [String: RGBColor] = [
        "red": .init(0xFF0000), "orange": .init(0xFFA500), "gold": .init(0xFFD700), "yellow": .init(0xFFFF00),
        "lime": .init(0x00FF00), "green": .init(0x008000), "teal": .init(0x008080), "turquoise": .init(0x40E0D0),
        "cyan": .init(0x00FFFF), "skyblue": .init(0x87CEEB), "blue": .init(0x0000FF), "navy": .init(0x000080),
        "indigo": .init(0x4B0082), "violet": .init(0xEE82EE), "purple": .init(0x800080), "magenta": .init(0xFF00FF),
        "pink": .init(0xFFC0CB), "hotpink": .init(0xFF69B4), "salmon": .init(0xFA8072), "coral": .init(0xFF7F50),
        "tomato": .init(0xFF6347), "crimson": .init(0xDC143C), "lavender": .init(0xE6E6FA), "white": .init(0xFFFFFF),
    ]
}
