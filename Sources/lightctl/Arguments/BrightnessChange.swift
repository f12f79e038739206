import ControlProtocol

/// What `dim` takes: a level ("40%", "40") or a step up or down ("+10%", "-10%").
enum BrightnessChange: Equatable, Sendable {
    case at(Percent)
    case up(by: Double)
    case down(by: Double)

    static let forms = "a level such as 40%, or a step such as +10% or -10%"

    init(argument: String) throws(ArgumentError) {
        guard let quantity = Quantity(argument), ["", "%"].contains(quantity.unit) else {
            throw ArgumentError("write \(Self.forms)")
        }
        guard quantity.sign != .none else {
            self = .at(try Percent(argument: argument))
            return
        }
        let step = try StepSize(points: try Percent.unambiguous(quantity))
        self = quantity.sign == .plus ? .up(by: step.points) : .down(by: step.points)
    }

    func command(target: String, over: Int?) -> Command {
        switch self {
        case let .at(level): .set(.init(brightness: level.value), target: target, over: over)
        case let .up(step): .increase(.brightness, by: step, target: target, over: over)
        case let .down(step): .decrease(.brightness, by: step, target: target, over: over)
        }
    }
}
