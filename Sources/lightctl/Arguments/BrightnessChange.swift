import ControlProtocol

/// The last argument of `dim`: a level ("40%", "40") or a step up or down ("+10%", "-10%").
enum BrightnessChange: Equatable, Sendable {
    case level(Percent)
    case up(by: Double)
    case down(by: Double)

    init(argument: String) throws(ArgumentError) {
        guard let quantity = Quantity(argument), ["", "%"].contains(quantity.unit) else {
            throw ArgumentError("not a level: use a level such as 40%, or a step such as +10% or -10%")
        }
        guard quantity.sign != .none else {
            self = .level(try Percent(argument: argument))
            return
        }
        let step = try StepSize(points: try Percent.unambiguous(quantity))
        self = quantity.sign == .plus ? .up(by: step.points) : .down(by: step.points)
    }

    func command(target: String, over: Int?) -> Command {
        switch self {
        case let .level(level): .set(.init(brightness: level.value), target: target, over: over)
        case let .up(step): .increase(.brightness, by: step, target: target, over: over)
        case let .down(step): .decrease(.brightness, by: step, target: target, over: over)
        }
    }
}
