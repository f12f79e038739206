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

/// A colour or a white tone, in any form that ``LightColor`` reads.
public struct ColorName: Equatable, Sendable {
    /// As lightd reads it.
    public let text: String

    public init(argument: String) throws(ArgumentError) {
        do throws(LightColor.Mistake) {
            _ = try LightColor(argument)
        } catch {
            throw ArgumentError(error.description)
        }
        text = argument.lowercased()
    }
}

/// An angle on the colour wheel: "120", "120°" or "120deg".
public struct Hue: Equatable, Sendable {
    /// 0…360.
    public let degrees: Double

    public init(argument: String) throws(ArgumentError) {
        guard let quantity = Quantity(argument), ["", "°", "deg"].contains(quantity.unit), quantity.sign != .plus else {
            throw ArgumentError("not an angle: use degrees such as 120, 120deg or 120°")
        }
        guard quantity.sign == .none, quantity.number <= 360 else {
            throw ArgumentError("out of range: use 0° to 360°")
        }
        degrees = quantity.number
    }
}

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
