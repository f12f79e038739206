import Khipu

/// Sets what lights do when their power returns. The state changes once the bridge has accepted it.
struct PowerupSetter: UseCase {
    enum Request {
        case set(Light.Powerup, Target)
        /// The bridge has answered; it reports what it accepted a moment later.
        case record(Light.Powerup, Target, Outcome)
    }

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
        case let .record(powerup, target, outcome):
            let lights = store.state().lights(in: target).filter { $0.powerup != nil }.map(\.id)
            let accepted = outcome.parts(for: lights).filter { $0.outcome == .succeeded }
            store.change(
                accepted.compactMap { part in
                    if case let .light(id) = part.target {
                        .updating(.light(id, by: [.powering(.up(as: powerup))]))
                    } else {
                        nil
                    }
                })
        }
    }
}
