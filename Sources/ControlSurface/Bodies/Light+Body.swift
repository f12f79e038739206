import ControlProtocol
import Khipu
import Lighting

extension Light {
    /// The light with the names of its room, its zones and its cause.
    func body(room: Room?, zones: [Room], in home: Directory) -> LightBody {
        let (colours, whites) = (modes.contains(.hsb), modes.contains(.ct))
        return LightBody(
            id: id.description,
            name: name,
            room: room?.name,
            zones: zones.map(\.name),
            power: power,
            brightness: limits.dims ? brightness.percent : nil,
            color: swatch?.hex,
            hue: colours ? hue.degrees : nil,
            saturation: colours ? saturation.percent : nil,
            temperature: whites ? temperature.value : nil,
            mode: selectedMode.body,
            freshness: freshness.body,
            since: freshness.since.iso8601,
            bridge: id.bridge.description,
            display: home.display(of: self),
            limits: LightBody.Limits(
                coolest: limits.temperature?.lowerBound.value,
                warmest: limits.temperature?.upperBound.value,
                minimumDimLevel: limits.minimumDimLevel
            ),
            powerup: powerup,
            cause: shownBecause.body(in: home),
            follows: home.follows(of: self)
        )
    }

    /// The colour that the light shows; if its mode is unknown, a colour that it can show.
    var swatch: RGBColor? {
        switch selectedMode {
        case .ct: RGBColor(mirek: temperature.value)
        case .hsb: RGBColor(hue: hue * 360, saturation: saturation * 100)
        case .unset where modes.contains(.ct): RGBColor(mirek: temperature.value)
        case .unset where modes.contains(.hsb): RGBColor(hue: hue * 360, saturation: saturation * 100)
        case .unset: nil
        }
    }
}

extension [Light] {
    /// That of those that have levels; `nil` if none has.
    var meanBrightness: Double? { filter(\.limits.dims).map(\.brightness).mean }
}

extension Light.Mode {
    fileprivate var body: LightBody.Mode? {
        switch self {
        case .hsb: .color
        case .ct: .temperature
        case .unset: nil
        }
    }
}

extension Freshness {
    var body: LightBody.Freshness {
        switch self {
        case .confirmed: .confirmed
        case .expected: .expected
        case .stale: .stale
        case .unreachable: .unreachable
        }
    }

    fileprivate var since: Timestamp {
        switch self {
        case let .confirmed(at: time), let .stale(since: time), let .unreachable(since: time): time
        case let .expected(by: ticket): ticket.time
        }
    }

    /// Whether the values may be wrong.
    var isInDoubt: Bool {
        switch self {
        case .stale, .unreachable: true
        case .confirmed, .expected: false
        }
    }
}

extension Double {
    /// A fraction in per cent, to the hundredth: finer than any lamp, and readable.
    var percent: Double { (self * 10_000).rounded() / 100 }
    /// A fraction of the colour circle in degrees, to the hundredth.
    var degrees: Double { (self * 36_000).rounded() / 100 }
}

extension [Double] {
    /// `nil` if there are none.
    var mean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }
}
