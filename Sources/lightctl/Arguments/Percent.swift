/// A level that was typed: "40%" or "40". A bare fraction ("0.4") is refused, since it could mean 40 % or 0.4 %.
struct Percent: Equatable, Sendable {
    static let forms = "a percentage such as 40% or 40"

    /// 0…100.
    let value: Double

    init(argument: String) throws(ArgumentError) {
        guard let quantity = Quantity(argument), ["", "%"].contains(quantity.unit), quantity.sign != .plus else {
            throw ArgumentError("write \(Self.forms)")
        }
        guard quantity.sign == .none, quantity.number <= 100 else {
            throw ArgumentError("a percentage goes from 0 to 100")
        }
        value = try Self.unambiguous(quantity)
    }

    /// The number of per cent, unless it could be meant as a part of one.
    static func unambiguous(_ quantity: Quantity) throws(ArgumentError) -> Double {
        guard quantity.unit == "%" || !quantity.fraction || quantity.number > 1 || quantity.number == 0 else {
            let meant = number(quantity.number * 100)
            throw ArgumentError("this could mean \(meant)% or \(number(quantity.number))%: write the percent sign")
        }
        return quantity.number
    }
}
