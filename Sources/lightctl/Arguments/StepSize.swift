/// How far `increase` and `decrease` go: "10", "10%" or "10pt", in points, per cent of the value's range.
struct StepSize: Equatable, Sendable {
    static let forms = "a number of points such as 10 or 10%"

    /// More than 0, at most 100.
    let points: Double

    init(argument: String) throws(ArgumentError) {
        guard let quantity = Quantity(argument), ["", "%", "pt"].contains(quantity.unit), quantity.sign != .minus else {
            throw ArgumentError("write \(Self.forms); the verb says whether up or down")
        }
        try self.init(points: quantity.unit == "pt" ? quantity.number : Percent.unambiguous(quantity))
    }

    init(points: Double) throws(ArgumentError) {
        guard points > 0, points <= 100 else {
            throw ArgumentError("a step goes from above 0 to 100 points")
        }
        self.points = points
    }
}
