import ControlProtocol

/// A white tone: "2700K" or "370mirek". A bare number is refused: it could be either.
public struct Temperature: Equatable, Sendable {
    /// One million divided by kelvin.
    public let mirek: Int

    public init(argument: String) throws(ArgumentError) {
        guard let quantity = Quantity(argument) else {
            throw ArgumentError("not a temperature: use 2700K or 370mirek")
        }
        do throws(LightColor.Mistake) {
            mirek = try LightColor.mirek(quantity)
        } catch {
            throw ArgumentError(error.description)
        }
    }

    public init(mirek: Int) {
        self.mirek = mirek
    }

    /// "2703K"; parsing it gives the same mirek again.
    public var kelvin: String { "\(Int((1_000_000 / Double(max(mirek, 1))).rounded()))K" }
}
