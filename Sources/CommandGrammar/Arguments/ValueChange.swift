public import ControlProtocol

/// A value to set, or a step from what a light shows: "40%", "+10%", "-10%".
public enum ValueChange<Level: Equatable & Sendable>: Equatable, Sendable {
    case level(Level)
    /// In per cent of the value's range.
    case up(by: Double)
    case down(by: Double)

    /// - Parameters:
    ///   - level: reads a text without a sign.
    ///   - points: the size of a step, in per cent of the range; `nil` if its unit does not fit.
    fileprivate init(
        _ argument: String, level: (String) throws(ArgumentError) -> Level,
        points: (Quantity) throws(ArgumentError) -> Double?
    ) throws(ArgumentError) {
        guard let quantity = Quantity(argument), quantity.sign != .none, let size = try points(quantity) else {
            self = .level(try level(argument))
            return
        }
        let step = try StepSize(points: size)
        self = quantity.sign == .plus ? .up(by: step.points) : .down(by: step.points)
    }

    public var level: Level? { if case let .level(level) = self { level } else { nil } }

    /// The command that steps the value; `nil` for a level.
    public func step(
        _ value: LightValue, target: String, over: Int?, _ stepping: Command.Stepping = .init()
    ) -> Command? {
        switch self {
        case .level: nil
        case let .up(step): .increase(value, by: step, target: target, over: over, stepping)
        case let .down(step): .decrease(value, by: step, target: target, over: over, stepping)
        }
    }
}

extension ValueChange<Percent> {
    public init(argument: String) throws(ArgumentError) {
        try self.init(argument, level: Percent.init(argument:)) { quantity throws(ArgumentError) in
            ["", "%"].contains(quantity.unit) ? try Percent.unambiguous(quantity) : nil
        }
    }
}

extension ValueChange<Hue> {
    public init(argument: String) throws(ArgumentError) {
        try self.init(argument, level: Hue.init(argument:)) { quantity in
            switch quantity.unit {
            case "", "°", "deg": quantity.number / 3.6
            case "%": quantity.number
            default: nil
            }
        }
    }
}

extension ValueChange<Temperature> {
    /// A step is in per cent of what lamps can show: the same step in kelvin is large in a warm white and small in a
    /// cool one.
    public init(argument: String) throws(ArgumentError) {
        try self.init(argument, level: Temperature.init(argument:)) { quantity throws(ArgumentError) in
            guard quantity.unit == "%" else {
                throw ArgumentError("not a step: a white tone is stepped in percent, such as +10% (warmer)")
            }
            return quantity.number
        }
    }
}
