import ControlProtocol

/// An angle on the colour wheel: "120", "120°" or "120deg".
public struct Hue: Equatable, Sendable {
    /// 0…360.
    public let degrees: Double

    public init(argument: String) throws(ArgumentError) {
        guard let quantity = Quantity(argument), ["", "°", "deg"].contains(quantity.unit), quantity.sign != .plus else {
            throw ArgumentError("not an angle: use degrees such as 120, 120deg or 120°")
        }
        guard quantity.sign == .none, quantity.number <= 360 else {
            throw ArgumentError("out of range: use 0° to 360°")
        }
        degrees = quantity.number
    }
}
