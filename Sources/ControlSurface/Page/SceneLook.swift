import ControlProtocol
import Lighting

// The colours of what a scene sets, for the little picture on its button.

extension LightPatch {
    /// On a screen, along a strip from end to end; none for a level alone.
    var colors: [RGBColor] { tone?.colors ?? [] }
}

extension LightPatch.Tone {
    fileprivate var colors: [RGBColor] {
        switch self {
        case let .color(hue?, saturation?): [RGBColor(hue: hue * 360, saturation: saturation * 100)]
        case let .white(mirek): [RGBColor(mirek: mirek.value)]
        case let .gradient(gradient): gradient.points.map(\.swatch)
        case let .effect(effect, over: base): effect.map { $0.colors(over: base) } ?? base?.colors ?? []
        case .color: []
        }
    }
}

extension Light.Effect {
    /// Those that it was given; else its own, if it is known; else those that it runs over.
    fileprivate func colors(over base: LightPatch.Tone?) -> [RGBColor] {
        if let color { return [color.swatch] }
        if let temperature { return [RGBColor(mirek: temperature.value)] }
        return Self.looks[name]?.map { RGBColor(hue: $0.hue, saturation: $0.saturation) } ?? base?.colors ?? []
    }

    /// What lamps show by themselves under these names: degrees and per cent.
    private static let looks: [String: [(hue: Double, saturation: Double)]] = [
        "candle": [(34, 75), (26, 85)], "fire": [(6, 90), (22, 92), (38, 80)],
        "prism": [(0, 85), (55, 80), (130, 75), (210, 85), (280, 80)], "sparkle": [(36, 35), (40, 8)],
        "opal": [(165, 20), (285, 18), (30, 18)], "glisten": [(215, 45), (210, 8)],
        "underwater": [(215, 85), (185, 85)], "cosmos": [(240, 75), (285, 65), (320, 55)],
        "sunbeam": [(48, 75), (36, 80)], "enchant": [(255, 70), (155, 70), (315, 60)],
        "sunrise": [(16, 85), (30, 70), (38, 40)], "sunset": [(38, 40), (24, 80), (6, 90)],
    ]
}
