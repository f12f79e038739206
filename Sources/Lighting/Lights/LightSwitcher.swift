import Khipu

/// Turns lights on and off. An explicit turn is always sent, even if the state says that the light is already on or
/// off: the state may be out of date.
struct LightSwitcher: UseCase {
    enum Request {
        case turn(Turn, Target, Transition)
        case toggle(Target, Transition)
    }

    enum Response {
        case turning(Turn, Target, Outcome)
        case toggling(Target, to: Turn, Outcome)
    }

    let commands: CommandsUnderWay
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .turn(turn, target, transition):
            commands.carryOut(.turn(turn, target, over: transition), ticket) { [respond] _, outcome in
                respond(.turning(turn, target, outcome), ticket)
            }
        case let .toggle(target, transition):
            commands.carryOut(.toggle(target, over: transition), ticket) { [respond] plan, outcome in
                respond(.toggling(target, to: plan?.turn ?? .on, outcome), ticket)
            }
        }
    }
}

extension AppState {
    func turned(_ turn: Turn, _ target: Target) throws(Failure) -> [PlannedLight] {
        try lights(of: target).map { PlannedLight($0, sent: DesiredState($0.id, power: turn)) }
    }

    func toggled(_ target: Target, over transition: Transition) throws(Failure) -> Plan {
        // A lamp without power is dark, whatever it showed last.
        let isAnyOn = lights(in: target).contains { $0.power == .on && !$0.isUnreachable }
        let turn: Turn = isAnyOn ? .off : .on
        return Plan(transition: transition, lights: try turned(turn, target), turn: turn, effect: .records)
    }
}
