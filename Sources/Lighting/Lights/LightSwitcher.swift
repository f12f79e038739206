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

    let store: AppStore
    let stack: LightStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .turn(turn, target, transition):
            self.turn(turn, target, transition, ticket) { [respond] in respond(.turning(turn, target, $0), ticket) }
        case let .toggle(target, transition):
            // A lamp without power is dark, whatever it showed last.
            let anyOn = store.state().lights(in: target).contains { $0.power == .on && !$0.isUnreachable }
            let turn: Turn = anyOn ? .off : .on
            self.turn(turn, target, transition, ticket) { [respond] in
                respond(.toggling(target, to: turn, $0), ticket)
            }
        }
    }

    @DomainActor
    private func turn(
        _ turn: Turn, _ target: Target, _ transition: Transition, _ ticket: Ticket, _ reply: @escaping Reply<Outcome>
    ) {
        do throws(Failure) {
            let lights = try store.state().lights(of: target)
            store.expect([.turning(.it(turn))], of: lights, by: ticket)
            stack.set(lights.map { DesiredState($0.id, power: turn) }, transition, ticket, reply)
        } catch {
            reply(.failed(error))
        }
    }
}
