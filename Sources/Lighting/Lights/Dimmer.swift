import Khipu

/// Steps a value up or down. Each light is stepped from its current value, so that two quick steps count twice and the
/// lamps of a room keep their differences. Stops at the ends of the range, never turns a light off, and skips lights
/// that are off.
struct Dimmer: UseCase {
    enum Request {
        case increase(LightValue, by: Step, on: Target, Transition)
        case decrease(LightValue, by: Step, on: Target, Transition)
    }

    enum Response {
        case increasing(LightValue, by: Step, on: Target, Outcome)
        case decreasing(LightValue, by: Step, on: Target, Outcome)
    }

    typealias Step = Message.Lighting.Increment

    let commands: CommandsUnderWay
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .increase(value, by: step, on: target, transition):
            commands.carryOut(.increase(value, by: step, on: target, over: transition), ticket) {
                [respond] _, outcome in
                respond(.increasing(value, by: step, on: target, outcome), ticket)
            }
        case let .decrease(value, by: step, on: target, transition):
            commands.carryOut(.decrease(value, by: step, on: target, over: transition), ticket) {
                [respond] _, outcome in
                respond(.decreasing(value, by: step, on: target, outcome), ticket)
            }
        }
    }
}

extension AppState {
    /// - Parameter step: below 0 to step down.
    func stepped(
        _ value: LightValue, by step: Message.Lighting.Increment, on target: Target
    ) throws(Failure) -> [PlannedLight] {
        try lights(of: target, ableToStep: value, by: step).map { light in
            PlannedLight(
                light, sent: DesiredState(light.id, light.stepped(value, by: step)),
                named: [value == .brightness ? .brightness : .temperature])
        }
    }
}

extension Light {
    /// The dimming law: the patch one step above or below what the light shows, held to the range.
    ///
    /// - Parameter step: below 0 to step down.
    fileprivate func stepped(_ value: LightValue, by step: Message.Lighting.Increment) -> LightPatch {
        let share = step.points / 100
        switch value {
        case .brightness:
            return .bri(step.level(from: brightness))
        case .hue:
            return .hsb(hue: (hue + share).clampedToUnit, saturation: saturation, brightness: nil)
        case .saturation:
            return .hsb(hue: hue, saturation: (saturation + share).clampedToUnit, brightness: nil)
        case .temperature:
            let range = limits.temperature ?? 153.mirek...500.mirek
            let span = Double(range.upperBound.value - range.lowerBound.value)
            let mirek = (span * min(max(share, -1), 1)).rounded(.toNearestOrAwayFromZero)
            return .ct(limits.held((temperature.value + Int(mirek)).mirek), brightness: nil)
        }
    }
}
