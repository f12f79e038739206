/// A level that was typed: "40%" or "40". A bare fraction ("0.4") is refused, since it could mean 40 % or 0.4 %.
struct Percent: Equatable, Sendable {
    static let forms = "a percentage such as 40% or 40"

    /// 0…100.
    let value: Double

    init(argument: String) throws(Refusal) {
        guard let measure = Measure(argument), ["", "%"].contains(measure.unit), measure.sign != .plus else {
            throw Refusal("write \(Self.forms)")
        }
        guard measure.sign == .none, measure.number <= 100 else {
            throw Refusal("a percentage goes from 0 to 100")
        }
        value = try Self.unambiguous(measure)
    }

    /// The number of per cent, unless it could be meant as a part of one.
    static func unambiguous(_ measure: Measure) throws(Refusal) -> Double {
        guard measure.unit == "%" || !measure.fraction || measure.number > 1 || measure.number == 0 else {
            let meant = number(measure.number * 100)
            throw Refusal("this could mean \(meant)% or \(number(measure.number))%: write the percent sign")
        }
        return measure.number
    }
}
