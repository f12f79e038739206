import HueWire
import Lighting

extension LightUpdate {
    /// What an order means on the wire. A colour is held to the lamp's gamut by us, so that its echo is what was sent.
    ///
    /// - Parameter triangle: the lamp's gamut; for a group that of most lamps: the bridge holds it for each.
    init(_ order: LightOrder, _ transition: Transition, in triangle: HueWire.Gamut?) {
        var mirek: Int?
        var xy: XY?
        switch order.setting {
        case .bri, nil: break
        case let .ct(value, _): mirek = value.value
        case let .hsb(hue, saturation, _):
            let point = HueSaturation(hue: hue ?? 0, saturation: saturation ?? 0).xy
            xy = (triangle ?? .c).nearest(to: point).rounded
        }
        self.init(
            on: order.power.map { $0 == .on },
            brightness: order.setting?.brightness.map { $0 * 100 },
            mirek: mirek,
            xy: xy,
            milliseconds: transition.wire
        )
    }
}

extension LightOrder {
    /// The colour that it asks for.
    var color: HueSaturation? {
        if case let .hsb(hue, saturation, _) = setting {
            HueSaturation(hue: hue ?? 0, saturation: saturation ?? 0)
        } else {
            nil
        }
    }
}

extension Transition {
    /// `nil` leaves it to the bridge.
    var wire: Int? {
        if case let .milliseconds(count) = self { min(max(count, 0), Self.longest) } else { nil }
    }
}
