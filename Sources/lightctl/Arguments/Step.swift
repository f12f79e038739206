/// How far `increase` and `decrease` go: "10", "10%" or "10pt", in points, per cent of the value's range.
struct Step: Equatable, Sendable {
    static let forms = "a number of points such as 10 or 10%"

    /// More than 0, at most 100.
    let points: Double

    init(argument: String) throws(Refusal) {
        guard let measure = Measure(argument), ["", "%", "pt"].contains(measure.unit), measure.sign != .minus else {
            throw Refusal("write \(Self.forms); the verb says whether up or down")
        }
        try self.init(points: measure.unit == "pt" ? measure.number : Percent.unambiguous(measure))
    }

    init(points: Double) throws(Refusal) {
        guard points > 0, points <= 100 else {
            throw Refusal("a step goes from above 0 to 100 points")
        }
        self.points = points
    }
}
