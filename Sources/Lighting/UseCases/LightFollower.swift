import HashTreeCollections
import Khipu

/// Sends lights a step of what they follow. It turns none on or off unless a state says so: whoever turns a light off
/// meanwhile wants it off.
struct LightFollower: UseCase {
    enum Request { case follow([DesiredState], Transition) }
    enum Response { case following(Outcome) }

    let store: AppStore
    let stack: LightStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .follow(states, transition):
            let lights = states.compactMap { state in store.state().lights[state.light].map { ($0, state) } }
            store.expect(
                lights.map { light, state in
                    (light, (state.power.map { [.turning(.it($0))] } ?? []) + (state.setting?.changes ?? []))
                }, by: ticket)
            stack.set(lights.map(\.1), transition, ticket) { [respond] in respond(.following($0), ticket) }
        }
    }
}
