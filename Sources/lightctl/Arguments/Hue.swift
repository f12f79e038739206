/// A place on the colour wheel that was typed: "120", "120°" or "120deg".
struct Hue: Equatable, Sendable {
    static let forms = "degrees such as 120, 120deg or 120°"

    /// 0…360.
    let degrees: Double

    init(argument: String) throws(ArgumentError) {
        guard let quantity = Quantity(argument), ["", "°", "deg"].contains(quantity.unit), quantity.sign != .plus else {
            throw ArgumentError("write \(Self.forms)")
        }
        guard quantity.sign == .none, quantity.number <= 360 else {
            throw ArgumentError("a hue goes from 0° to 360°")
        }
        degrees = quantity.number
    }
}
