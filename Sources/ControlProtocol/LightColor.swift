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
