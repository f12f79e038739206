/// A white tone: "2700K" or "370mirek". A bare number is refused: it could be either.
struct Temperature: Equatable, Sendable {
    /// One million divided by kelvin.
    let mirek: Int

    init(argument: String) throws(ArgumentError) {
        guard let quantity = Quantity(argument), quantity.sign == .none else {
            throw ArgumentError("not a temperature: use 2700K or 370mirek")
        }
        switch quantity.unit {
        case "k", "kelvin":
            // Wider than any known lamp; lightd enforces each lamp's own limits.
            guard quantity.number >= 1000, quantity.number <= 20000 else {
                throw ArgumentError("out of range: use 1000K to 20000K")
            }
            mirek = Int((1_000_000 / quantity.number).rounded())
        case "mirek", "mired":
            guard quantity.number >= 50, quantity.number <= 1000 else {
                throw ArgumentError("out of range: use 50mirek to 1000mirek")
            }
            mirek = Int(quantity.number.rounded())
        default:
            throw ArgumentError("not a temperature: use 2700K or 370mirek, with the unit")
        }
    }

    init(mirek: Int) {
        self.mirek = mirek
    }

    /// "2703K"; parsing it gives the same mirek again.
    var kelvin: String { "\(Int((1_000_000 / Double(max(mirek, 1))).rounded()))K" }
}
