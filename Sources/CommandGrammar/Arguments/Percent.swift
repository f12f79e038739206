import ControlProtocol

/// A percentage: "40%" or "40". A bare fraction such as "0.4" is refused: it could mean 40% or 0.4%.
public struct Percent: Equatable, Sendable {
    /// 0…100.
    public let value: Double

    public init(argument: String) throws(ArgumentError) {
        guard let quantity = Quantity(argument) else { throw ArgumentError("not a percentage: use 40% or 40") }
        guard ["", "%"].contains(quantity.unit) else { throw Self.wrongUnit(quantity) }
        guard quantity.sign == .none, quantity.number <= 100 else {
            throw ArgumentError("out of range: use 0% to 100%")
        }
        value = try Self.unambiguous(quantity)
    }

    /// The number of percent; throws if the number could also be meant as a fraction of one.
    static func unambiguous(_ quantity: Quantity) throws(ArgumentError) -> Double {
        guard quantity.unit == "%" || !quantity.fraction || quantity.number > 1 || quantity.number == 0 else {
            let meant = number(quantity.number * 100)
            throw ArgumentError(
                "ambiguous: it could mean \(meant)% or \(number(quantity.number))%; add the percent sign")
        }
        return quantity.number
    }

    private static func wrongUnit(_ quantity: Quantity) -> ArgumentError {
        switch quantity.unit {
        case "lm", "lumen", "lumens": ArgumentError("in lumens, which cannot be set: use percent, such as 40%")
        case "lx", "lux": ArgumentError("in lux, which cannot be set: use percent, such as 40%")
        case "w", "watt", "watts": ArgumentError("in watts, which cannot be set: use percent, such as 40%")
        case "k", "kelvin", "mirek", "mired":
            ArgumentError("a white tone, not a percentage: 'lightctl set' takes it as --temperature")
        case "°", "deg": ArgumentError("an angle, not a percentage: 'lightctl set' takes it as --hue")
        default: ArgumentError("not a percentage: use 40% or 40")
        }
    }
}
