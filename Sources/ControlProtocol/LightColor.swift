/// A colour or a white tone as people write it: a CSS name, "#f80", "rgb(255,136,0)", "hsb(30,100%,80%)", "xy(0.6,0.3)",
/// "2700K", "370mirek". Case and spaces do not matter.
public enum LightColor: Equatable, Sendable {
    /// A lamp takes its hue and saturation; how dark it is does not count.
    case rgb(RGBColor)
    /// Degrees, 0…360; per cent; per cent.
    case hsb(hue: Double, saturation: Double, brightness: Double)
    /// A point of the CIE 1931 chromaticity diagram: both above or at 0, together at most 1, and y above 0.
    case xy(x: Double, y: Double)
    /// A white tone.
    case white(mirek: Int)

    /// Why a text is not a colour. Completes "'…' is …".
    public struct Mistake: Error, Equatable, Sendable, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }

    /// All ways to write one, for help and errors.
    public static let forms = "a CSS name, '#ff8800', 'rgb(255,136,0)', 'hsb(30,100%,80%)', 'xy(0.6,0.3)' or 2700K"

    public init(_ text: String) throws(Mistake) {
        let words = text.lowercased().split(whereSeparator: \.isWhitespace)
        let text = words.joined(separator: text.contains("(") ? " " : "")
        if let rgb = RGBColor(text) {
            self = .rgb(rgb)
        } else if let (name, values) = Self.call(text) {
            self = try Self.function(name, values)
        } else if let quantity = Quantity(text), !quantity.unit.isEmpty {
            self = .white(mirek: try Self.mirek(quantity))
        } else {
            let near = closest(to: text, in: RGBColor.names.keys)
            throw Mistake(near.map { "not a colour: did you mean '\($0)'?" } ?? "not a colour: use \(Self.forms)")
        }
    }

    /// A white tone in kelvin (1000K to 20000K) or mirek (50 to 1000): wider than any known lamp; lightd holds it to
    /// what each lamp can show.
    public static func mirek(_ quantity: Quantity) throws(Mistake) -> Int {
        guard quantity.sign == .none else { throw Mistake("not a temperature: use 2700K or 370mirek") }
        switch quantity.unit {
        case "k", "kelvin":
            guard (1000...20_000).contains(quantity.number) else { throw Mistake("out of range: use 1000K to 20000K") }
            return Int((1_000_000 / quantity.number).rounded())
        case "mirek", "mired":
            guard (50...1000).contains(quantity.number) else {
                throw Mistake("out of range: use 50mirek to 1000mirek")
            }
            return Int(quantity.number.rounded())
        case "": throw Mistake("ambiguous: write 2700K or 370mirek, with the unit")
        default: throw Mistake("not a temperature: use 2700K or 370mirek")
        }
    }

    /// "rgb(255, 0 0)" as its name and its values; `nil` for any other form.
    private static func call(_ text: String) -> (name: Substring, values: [Quantity?])? {
        guard let open = text.firstIndex(of: "("), text.hasSuffix(")") else { return nil }
        let inner = text[text.index(after: open)...].dropLast()
        // Commas, spaces or both, as in CSS. Two commas leave a value out, which is a mistake.
        let values = inner.split(separator: ",", omittingEmptySubsequences: false).flatMap { part in
            let words = part.split(whereSeparator: \.isWhitespace)
            return words.isEmpty ? [nil] : words.map { Quantity(String($0)) }
        }
        return (text[..<open].filter { !$0.isWhitespace }[...], values)
    }

    private static func function(_ name: Substring, _ values: [Quantity?]) throws(Mistake) -> Self {
        let known = values.compactMap { $0 }.filter { $0.sign == .none }
        func value(_ place: Int, _ units: Set<String>, upTo most: Double) -> Double? {
            let quantity = known[place]
            return units.contains(quantity.unit) && quantity.number <= most ? quantity.number : nil
        }
        switch name {
        case "rgb":
            let channels = known.compactMap { channel -> Double? in
                switch channel.unit {
                case "": channel.number <= 255 ? channel.number / 255 : nil
                case "%": channel.number <= 100 ? channel.number / 100 : nil
                default: nil
                }
            }
            guard values.count == 3, channels.count == 3 else {
                throw Mistake("not a colour: rgb() takes three values, each 0 to 255 or 0% to 100%")
            }
            return .rgb(RGBColor(red: channels[0], green: channels[1], blue: channels[2]))
        case "hsb", "hsv":
            guard values.count == 3, known.count == 3, let hue = value(0, ["", "°", "deg"], upTo: 360),
                let saturation = value(1, ["", "%"], upTo: 100), let brightness = value(2, ["", "%"], upTo: 100)
            else {
                throw Mistake("not a colour: hsb() takes degrees and two percentages, as in hsb(30,100%,80%)")
            }
            return .hsb(hue: hue, saturation: saturation, brightness: brightness)
        case "xy":
            guard values.count == 2, known.count == 2, let x = value(0, [""], upTo: 1), let y = value(1, [""], upTo: 1),
                y > 0, x + y <= 1
            else {
                throw Mistake("not a colour: xy() takes two values whose sum is at most 1, as in xy(0.6,0.3)")
            }
            return .xy(x: x, y: y)
        default: throw Mistake("not a colour: use \(forms)")
        }
    }
}

extension LightColor: CustomStringConvertible {
    /// A text that is read as the same colour, except that a channel of ``rgb(_:)`` is rounded to 1/255.
    public var description: String {
        switch self {
        case let .rgb(color): color.hex
        case let .hsb(hue, saturation, brightness): "hsb(\(hue),\(saturation)%,\(brightness)%)"
        case let .xy(x, y): "xy(\(x),\(y))"
        case let .white(mirek): "\(mirek)mirek"
        }
    }
}

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

    /// "rgb(100%,50.123%,0%)": as exact as a lamp, and a colour of CSS.
    public var exact: String {
        let channels = [red, green, blue].map { shortest(($0 * 100_000).rounded() / 1000) + "%" }
        return "rgb(\(channels.joined(separator: ",")))"
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

    /// The 148 names of CSS Color Module Level 4.
    public static let names: [String: RGBColor] = [
        "aliceblue": .init(0xF0F8FF), "antiquewhite": .init(0xFAEBD7), "aqua": .init(0x00FFFF),
        "aquamarine": .init(0x7FFFD4), "azure": .init(0xF0FFFF), "beige": .init(0xF5F5DC), "bisque": .init(0xFFE4C4),
        "black": .init(0x000000), "blanchedalmond": .init(0xFFEBCD), "blue": .init(0x0000FF),
        "blueviolet": .init(0x8A2BE2), "brown": .init(0xA52A2A), "burlywood": .init(0xDEB887),
        "cadetblue": .init(0x5F9EA0), "chartreuse": .init(0x7FFF00), "chocolate": .init(0xD2691E),
        "coral": .init(0xFF7F50), "cornflowerblue": .init(0x6495ED), "cornsilk": .init(0xFFF8DC),
        "crimson": .init(0xDC143C), "cyan": .init(0x00FFFF), "darkblue": .init(0x00008B), "darkcyan": .init(0x008B8B),
        "darkgoldenrod": .init(0xB8860B), "darkgray": .init(0xA9A9A9), "darkgreen": .init(0x006400),
        "darkgrey": .init(0xA9A9A9), "darkkhaki": .init(0xBDB76B), "darkmagenta": .init(0x8B008B),
        "darkolivegreen": .init(0x556B2F), "darkorange": .init(0xFF8C00), "darkorchid": .init(0x9932CC),
        "darkred": .init(0x8B0000), "darksalmon": .init(0xE9967A), "darkseagreen": .init(0x8FBC8F),
        "darkslateblue": .init(0x483D8B), "darkslategray": .init(0x2F4F4F), "darkslategrey": .init(0x2F4F4F),
        "darkturquoise": .init(0x00CED1), "darkviolet": .init(0x9400D3), "deeppink": .init(0xFF1493),
        "deepskyblue": .init(0x00BFFF), "dimgray": .init(0x696969), "dimgrey": .init(0x696969),
        "dodgerblue": .init(0x1E90FF), "firebrick": .init(0xB22222), "floralwhite": .init(0xFFFAF0),
        "forestgreen": .init(0x228B22), "fuchsia": .init(0xFF00FF), "gainsboro": .init(0xDCDCDC),
        "ghostwhite": .init(0xF8F8FF), "gold": .init(0xFFD700), "goldenrod": .init(0xDAA520), "gray": .init(0x808080),
        "green": .init(0x008000), "greenyellow": .init(0xADFF2F), "grey": .init(0x808080),
        "honeydew": .init(0xF0FFF0), "hotpink": .init(0xFF69B4), "indianred": .init(0xCD5C5C),
        "indigo": .init(0x4B0082), "ivory": .init(0xFFFFF0), "khaki": .init(0xF0E68C), "lavender": .init(0xE6E6FA),
        "lavenderblush": .init(0xFFF0F5), "lawngreen": .init(0x7CFC00), "lemonchiffon": .init(0xFFFACD),
        "lightblue": .init(0xADD8E6), "lightcoral": .init(0xF08080), "lightcyan": .init(0xE0FFFF),
        "lightgoldenrodyellow": .init(0xFAFAD2), "lightgray": .init(0xD3D3D3), "lightgreen": .init(0x90EE90),
        "lightgrey": .init(0xD3D3D3), "lightpink": .init(0xFFB6C1), "lightsalmon": .init(0xFFA07A),
        "lightseagreen": .init(0x20B2AA), "lightskyblue": .init(0x87CEFA), "lightslategray": .init(0x778899),
        "lightslategrey": .init(0x778899), "lightsteelblue": .init(0xB0C4DE), "lightyellow": .init(0xFFFFE0),
        "lime": .init(0x00FF00), "limegreen": .init(0x32CD32), "linen": .init(0xFAF0E6), "magenta": .init(0xFF00FF),
        "maroon": .init(0x800000), "mediumaquamarine": .init(0x66CDAA), "mediumblue": .init(0x0000CD),
        "mediumorchid": .init(0xBA55D3), "mediumpurple": .init(0x9370DB), "mediumseagreen": .init(0x3CB371),
        "mediumslateblue": .init(0x7B68EE), "mediumspringgreen": .init(0x00FA9A), "mediumturquoise": .init(0x48D1CC),
        "mediumvioletred": .init(0xC71585), "midnightblue": .init(0x191970), "mintcream": .init(0xF5FFFA),
        "mistyrose": .init(0xFFE4E1), "moccasin": .init(0xFFE4B5), "navajowhite": .init(0xFFDEAD),
        "navy": .init(0x000080), "oldlace": .init(0xFDF5E6), "olive": .init(0x808000), "olivedrab": .init(0x6B8E23),
        "orange": .init(0xFFA500), "orangered": .init(0xFF4500), "orchid": .init(0xDA70D6),
        "palegoldenrod": .init(0xEEE8AA), "palegreen": .init(0x98FB98), "paleturquoise": .init(0xAFEEEE),
        "palevioletred": .init(0xDB7093), "papayawhip": .init(0xFFEFD5), "peachpuff": .init(0xFFDAB9),
        "peru": .init(0xCD853F), "pink": .init(0xFFC0CB), "plum": .init(0xDDA0DD), "powderblue": .init(0xB0E0E6),
        "purple": .init(0x800080), "rebeccapurple": .init(0x663399), "red": .init(0xFF0000),
        "rosybrown": .init(0xBC8F8F), "royalblue": .init(0x4169E1), "saddlebrown": .init(0x8B4513),
        "salmon": .init(0xFA8072), "sandybrown": .init(0xF4A460), "seagreen": .init(0x2E8B57),
        "seashell": .init(0xFFF5EE), "sienna": .init(0xA0522D), "silver": .init(0xC0C0C0), "skyblue": .init(0x87CEEB),
        "slateblue": .init(0x6A5ACD), "slategray": .init(0x708090), "slategrey": .init(0x708090),
        "snow": .init(0xFFFAFA), "springgreen": .init(0x00FF7F), "steelblue": .init(0x4682B4), "tan": .init(0xD2B48C),
        "teal": .init(0x008080), "thistle": .init(0xD8BFD8), "tomato": .init(0xFF6347), "turquoise": .init(0x40E0D0),
        "violet": .init(0xEE82EE), "wheat": .init(0xF5DEB3), "white": .init(0xFFFFFF), "whitesmoke": .init(0xF5F5F5),
        "yellow": .init(0xFFFF00), "yellowgreen": .init(0x9ACD32),
    ]
}
