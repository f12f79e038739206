/// A place on the colour wheel that was typed: "120", "120°" or "120deg".
struct Hue: Equatable, Sendable {
    static let forms = "degrees such as 120, 120deg or 120°"

    /// 0…360.
    let degrees: Double

    init(argument: String) throws(Refusal) {
        guard let measure = Measure(argument), ["", "°", "deg"].contains(measure.unit), measure.sign != .plus else {
            throw Refusal("write \(Self.forms)")
        }
        guard measure.sign == .none, measure.number <= 360 else {
            throw Refusal("a hue goes from 0° to 360°")
        }
        degrees = measure.number
    }
}
