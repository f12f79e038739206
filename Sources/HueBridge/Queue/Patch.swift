import HueWire

/// What is wished of one lamp; what is not named stays as it is. The values are a person's, not yet held to a lamp's gamut or
/// schema: that is done at sending, so that equal wishes for different lamps are equal.
struct Patch: Hashable, Sendable {
    /// One attribute: a lamp shows a white or a colour, and the newer of the two is meant.
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

    func without(_ attributes: PendingState.Attributes) -> Self {
        Self(
            on: attributes.contains(.on) ? nil : on, brightness: attributes.contains(.brightness) ? nil : brightness,
            color: attributes.contains(.color) ? nil : color, milliseconds: milliseconds)
    }
}
