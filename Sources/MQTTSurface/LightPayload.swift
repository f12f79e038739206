import ControlSurface
import FoundationEssentials
import HueWire
import Lighting

/// The state of a light or a room as Home Assistant's JSON schema has it, which zigbee2mqtt's readers take, too.
struct LightPayload: Encodable, Equatable {
    var state: State
    /// 1…254; 0 would mean off.
    var brightness: Int?
    /// Always with its value, and with no other: what comes apart is ignored, or taken for another colour.
    var mode: Mode?
    /// What runs; "off" for nothing. Only of lamps that can run something.
    var effect: String?

    enum State: String, Encodable { case on = "ON", off = "OFF" }

    enum Mode: Equatable {
        case temperature(kelvin: Int)
        case color(x: Double, y: Double)
    }

    private enum CodingKeys: String, CodingKey {
        case state, brightness, color, effect
        case mode = "color_mode"
        case temperature = "color_temp"
    }

    private struct Point: Encodable { let x, y: Double }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(state, forKey: .state)
        try container.encodeIfPresent(brightness, forKey: .brightness)
        switch mode {
        case let .temperature(kelvin: kelvin):
            try container.encode("color_temp", forKey: .mode)
            try container.encode(kelvin, forKey: .temperature)
        case let .color(x: x, y: y):
            try container.encode("xy", forKey: .mode)
            try container.encode(Point(x: x, y: y), forKey: .color)
        case nil: break
        }
        try container.encodeIfPresent(effect, forKey: .effect)
    }
}

extension LightPayload {
    /// What nothing runs is called.
    static let noEffect = "off"

    /// What a light shows, or is expected to: never a value from the middle of a fade.
    init(_ light: Light) {
        state = light.power == .on ? .on : .off
        brightness = light.limits.dims ? Self.level(light.brightness) : nil
        mode = Mode(light)
        effect = light.limits.effects == nil ? nil : light.values.effect?.name ?? Self.noEffect
    }

    /// What the lights of a room show: on if one is, the mean level of those that are on, and the colour that they share.
    init(_ lights: [Light]) {
        let known = lights.filter { !$0.freshness.isInDoubt }
        let lit = (known.isEmpty ? lights : known).filter { $0.power == .on }
        state = lit.isEmpty ? .off : .on
        let levels = lit.filter(\.limits.dims).map(\.brightness)
        brightness = levels.isEmpty ? nil : Self.level(levels.reduce(0, +) / Double(levels.count))
        mode = lit.lazy.compactMap { Mode($0) }.first
    }

    /// 0…1 as 1…254, and back exactly.
    static func level(_ brightness: Double) -> Int { 1 + Int((min(max(brightness, 0), 1) * 253).rounded()) }

    /// 1…254 in per cent.
    static func percent(_ level: Double) -> Double { min(max((level - 1) / 2.53, 0), 100) }
}

extension LightPayload.Mode {
    init?(_ light: Light) {
        switch light.selectedMode {
        case .ct where light.modes.contains(.ct): self = .temperature(kelvin: light.temperature.kelvin)
        case .hsb where light.modes.contains(.hsb):
            let shown = light.values.gradient?.points.first ?? Light.Color(hue: light.hue, saturation: light.saturation)
            let point = HueSaturation(hue: shown.hue, saturation: shown.saturation).xy
            self = .color(x: point.x.rounded(to: 4), y: point.y.rounded(to: 4))
        case .unset, .ct, .hsb: return nil
        }
    }
}

extension Double {
    fileprivate func rounded(to places: Int) -> Double {
        let unit = (0..<places).reduce(1.0) { unit, _ in unit * 10 }
        return (self * unit).rounded() / unit
    }
}

/// What is beside a light's state: how far it can be trusted, who set it, and what its state has no word for. Without
/// times: each would be another row in Home Assistant's recorder.
struct AttributesPayload: Encodable {
    let freshness: String
    let why: String
    /// Of a strip, "#rrggbb" from end to end.
    var gradient: [String]?
    /// Whether it blinks to tell something.
    var blinks: Bool?
}
