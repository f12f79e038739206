import ControlProtocol

/// How far `increase` and `decrease` go, in percent of the value's range: "10", "10%" or "10pt"; for the hue also "36°".
public struct StepSize: Equatable, Sendable {
    /// Above 0, at most 100.
    public let points: Double
    /// Whether it was given in degrees, which only the hue has.
    public private(set) var isAngle = false

    public init(argument: String) throws(ArgumentError) {
        let quantity = Quantity(argument)
        if let quantity, ["°", "deg"].contains(quantity.unit), quantity.sign != .minus {
            try self.init(points: quantity.number / 3.6)
            isAngle = true
            return
        }
        guard let quantity, ["", "%", "pt"].contains(quantity.unit), quantity.sign != .minus else {
            throw ArgumentError(
                "not a step: use points such as 10 or 10%, without a sign (the command says whether up or down)")
        }
        try self.init(points: quantity.unit == "pt" ? quantity.number : Percent.unambiguous(quantity))
    }

    init(points: Double) throws(ArgumentError) {
        guard points > 0, points <= 100 else {
            throw ArgumentError("out of range: use more than 0 and at most 100")
        }
        self.points = points
    }
}
