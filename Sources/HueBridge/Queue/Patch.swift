import HueWire

/// Values asked of one light; those not named stay as they are. They are the person's: they are held to the light's
/// gamut and range when they are sent, so that equal values for different lights stay equal.
struct Patch: Hashable, Sendable {
    /// One attribute: a light shows either a white or a colour, so the newer of the two wins.
    enum Color: Hashable, Sendable {
        case xy(XY)
        case mirek(Int)
    }

    var on: Bool?
    /// Per cent, 0…100.
    var brightness: Double?
    var color: Color?
    /// How long the change takes; `nil` leaves it to the bridge.
    var milliseconds: Int?

    /// The same values without a fade.
    var immediate: Self { Self(on: on, brightness: brightness, color: color, milliseconds: nil) }

    func without(_ attributes: PendingState.Attributes) -> Self {
        Self(
            on: attributes.contains(.on) ? nil : on, brightness: attributes.contains(.brightness) ? nil : brightness,
            color: attributes.contains(.color) ? nil : color, milliseconds: milliseconds)
    }
}
