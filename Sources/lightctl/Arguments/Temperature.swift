import ControlProtocol

/// A white tone: "2700K" or "370mirek". A bare number is refused: it could be either.
struct Temperature: Equatable, Sendable {
    /// One million divided by kelvin.
    let mirek: Int

    init(argument: String) throws(ArgumentError) {
        guard let quantity = Quantity(argument) else {
            throw ArgumentError("not a temperature: use 2700K or 370mirek")
        }
        do throws(LightColor.Mistake) {
            mirek = try LightColor.mirek(quantity)
        } catch {
            throw ArgumentError(error.description)
        }
    }

    init(mirek: Int) {
        self.mirek = mirek
    }

    /// "2703K"; parsing it gives the same mirek again.
    var kelvin: String { "\(Int((1_000_000 / Double(max(mirek, 1))).rounded()))K" }
}
