import ControlProtocol
import HueWire
import Lighting

// The values of a command in the domain's terms.

extension Transition {
    /// - Parameter milliseconds: `nil` leaves the time to the bridge.
    init(milliseconds: Int?) {
        self = if let milliseconds { .milliseconds(milliseconds) } else { .usual }
    }
}

extension Command.Values {
    /// - Throws: `invalid` as ``patch`` does, and if ratios are to be kept of anything but the brightness.
    var valueChange: Message.Lighting.ValueChange {
        get throws(ErrorReply) {
            guard keepRatios else { return .values(try patch) }
            guard let brightness, color == nil, hue == nil, saturation == nil, temperature == nil else {
                throw ErrorReply(
                    .invalid, "'keep_ratios' goes with 'brightness' alone",
                    hint: "send a colour or a temperature in a command of its own")
            }
            return .mean(brightness: brightness / 100)
        }
    }

    /// - Throws: `invalid` if there is nothing to set, or the values contradict each other.
    var patch: LightPatch {
        get throws(ErrorReply) {
            let level = brightness.map { $0 / 100 }
            let setsColor = color != nil || hue != nil || saturation != nil
            if let temperature {
                guard !setsColor else {
                    throw ErrorReply(.invalid, "a light shows either a colour or a temperature; send one of the two")
                }
                return .ct(temperature.mirek, brightness: level)
            }
            if let color {
                guard hue == nil, saturation == nil else {
                    throw ErrorReply(.invalid, "'color' sets hue and saturation; send either 'color' or those two")
                }
                return try LightColor.patch(color, brightness: level)
            }
            if setsColor {
                return .hsb(hue: hue.map { $0 / 360 }, saturation: saturation.map { $0 / 100 }, brightness: level)
            }
            guard let level else {
                throw ErrorReply(
                    .invalid, "'set' has nothing to set",
                    hint: "send brightness, color, hue, saturation or temperature")
            }
            return .bri(level)
        }
    }
}

extension Command.Stepping {
    /// - Throws: `invalid` for what only the brightness has.
    func increment(_ points: Double, of value: LightValue) throws(ErrorReply) -> Message.Lighting.Increment {
        guard value == .brightness || self == Self() else {
            throw ErrorReply(
                .invalid, "'\(keepRatios ? "keep_ratios" : "perceptual")' goes with the value 'brightness' alone")
        }
        return perceptual ? .lightness(points) : .pt(points)
    }
}

extension LightColor {
    /// - Parameter level: 0…1; goes before the colour's own brightness.
    /// - Throws: `invalid` for what is not a colour.
    static func patch(_ text: String, brightness level: Double?) throws(ErrorReply) -> LightPatch {
        try read(text).patch(brightness: level)
    }

    /// How a screen shows the colour, at full brightness.
    ///
    /// - Throws: `invalid` for what is not a colour.
    static func swatch(_ text: String) throws(ErrorReply) -> RGBColor {
        switch try read(text) {
        case let .rgb(color): return RGBColor(hue: color.hue, saturation: color.saturation)
        case let .hsb(hue, saturation, _): return RGBColor(hue: hue, saturation: saturation)
        case let .xy(x, y):
            let color = HueSaturation(XY(x: x, y: y))
            return RGBColor(hue: color.hue * 360, saturation: color.saturation * 100)
        case let .white(mirek): return RGBColor(mirek: mirek)
        }
    }

    private static func read(_ text: String) throws(ErrorReply) -> LightColor {
        do throws(Mistake) {
            return try LightColor(text)
        } catch {
            throw ErrorReply(.invalid, "'\(text)' is \(error)")
        }
    }

    private func patch(brightness level: Double?) -> LightPatch {
        switch self {
        case let .rgb(color): .hsb(hue: color.hue / 360, saturation: color.saturation / 100, brightness: level)
        case let .hsb(hue, saturation, brightness):
            .hsb(hue: hue / 360, saturation: saturation / 100, brightness: level ?? brightness / 100)
        case let .xy(x, y):
            Self.patch(HueSaturation(XY(x: x, y: y)), brightness: level)
        case let .white(mirek): .ct(mirek.mirek, brightness: level)
        }
    }

    private static func patch(_ color: HueSaturation, brightness level: Double?) -> LightPatch {
        .hsb(hue: color.hue, saturation: color.saturation, brightness: level)
    }
}

extension RGBColor {
    /// Whether the two are the same when each channel is rounded to 1/255, as in "#ff8800".
    func resembles(_ other: RGBColor) -> Bool {
        [(red, other.red), (green, other.green), (blue, other.blue)].allSatisfy { abs($0 - $1) * 255 < 1.5 }
    }
}
