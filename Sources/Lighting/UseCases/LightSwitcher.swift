public import Khipu

/// Turns lights on and off. An explicit turn is always sent, also where the state believes it is so already: the state may be
/// wrong, the person is not.
public struct LightSwitcher: UseCase {
    public enum Request {
        case turn(Turn, Target, Transition, Ticket)
        case toggle(Target, Transition, Ticket)
    }

    public enum Response {
        case turning(Turn, Target, Outcome, Ticket)
        case toggling(Target, to: Turn, Outcome, Ticket)
    }

    private let store: AppStore
    private let stack: LightStack
    private let respond: Output<Response>

    public init(store: AppStore, stack: LightStack, responder: @escaping Output<Response>) {
        self.store = store
        self.stack = stack
        self.respond = responder
    }

    public func request(to request: Request) {
        switch request {
        case let .turn(turn, target, transition, ticket):
            self.turn(turn, target, transition, .turn(turn, target, over: transition), ticket) { [respond] outcome in
                respond(.turning(turn, target, outcome, ticket))
            }
        case let .toggle(target, transition, ticket):
            let anyOn = store.current { Directory($0).lights(of: target).contains { $0.power == .on } }
            let turn: Turn = anyOn ? .off : .on
            self.turn(turn, target, transition, .toggle(target, over: transition), ticket) { [respond] outcome in
                respond(.toggling(target, to: turn, outcome, ticket))
            }
        }
    }

    @DomainActor
    private func turn(
        _ turn: Turn, _ target: Target, _ transition: Transition, _ command: Message.Lighting, _ ticket: Ticket,
        _ reply: @escaping Reply<Outcome>
    ) {
        switch store.lights(of: target) {
        case let .failure(failure): reply(.failed(failure))
        case let .success(lights):
            store.record(command, on: lights.map(\.id), by: ticket)
            store.expect([.turning(.it(turn))], of: lights, by: ticket)
            stack.set(lights.map { DesiredState($0.id, power: turn) }, transition, ticket, reply)
        }
    }
}
