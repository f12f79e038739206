/// A white tone that was typed: "2700K" or "370mirek". A bare number is refused, since it could be either.
struct Temperature: Equatable, Sendable {
    static let forms = "a temperature such as 2700K or 370mirek"

    /// A million over kelvin.
    let mirek: Int

    init(argument: String) throws(ArgumentError) {
        guard let quantity = Quantity(argument), quantity.sign == .none else {
            throw ArgumentError("write \(Self.forms)")
        }
        switch quantity.unit {
        case "k", "kelvin":
            // Both wider than any lamp known: the lamp's own limits are the daemon's to keep.
            guard quantity.number >= 1000, quantity.number <= 20000 else {
                throw ArgumentError("a temperature goes from 1000K to 20000K")
            }
            mirek = Int((1_000_000 / quantity.number).rounded())
        case "mirek", "mired":
            guard quantity.number >= 50, quantity.number <= 1000 else {
                throw ArgumentError("a temperature goes from 50mirek to 1000mirek")
            }
            mirek = Int(quantity.number.rounded())
        default:
            throw ArgumentError("write \(Self.forms), with the unit")
        }
    }

    init(mirek: Int) {
        self.mirek = mirek
    }

    /// "2703K", which reads back to the same mirek.
    var kelvin: String { "\(Int((1_000_000 / Double(max(mirek, 1))).rounded()))K" }
}
