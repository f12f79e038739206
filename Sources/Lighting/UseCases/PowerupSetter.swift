import Khipu

/// Sets what lights do when their power returns. The state changes once the bridge reports it.
struct PowerupSetter: UseCase {
    enum Request { case set(Light.Powerup, Target) }
    enum Response { case setting(Light.Powerup, Target, Outcome) }

    let store: AppStore
    let stack: LightStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .set(powerup, target):
            let reply: Reply<Outcome> = { [respond] in respond(.setting(powerup, target, $0), ticket) }
            guard powerup != .custom else {
                return reply(.failed(.invalid("'custom' can only be set in the app that made it")))
            }
            do throws(Failure) {
                let lights = try store.state().lights(of: target)
                let able = lights.filter { $0.powerup != nil }
                guard !able.isEmpty else {
                    throw .cannot(light: lights[0].name, what: "be told what to do after a power cut")
                }
                stack.powerup(able.map(\.id), powerup, reply)
            } catch {
                reply(.failed(error))
            }
        }
    }
}
