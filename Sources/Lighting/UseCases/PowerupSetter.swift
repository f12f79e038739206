public import Khipu

/// Says what lights do when their mains come back. Shown when the bridge has told of it.
public struct PowerupSetter: UseCase {
    public enum Request { case set(Light.Powerup, Target, Ticket) }
    public enum Response { case setting(Light.Powerup, Target, Outcome, Ticket) }

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
        case let .set(powerup, target, ticket):
            let reply: Reply<Outcome> = { [respond] in respond(.setting(powerup, target, $0, ticket)) }
            guard powerup != .custom else {
                return reply(.failed(.invalid("'custom' is made in another app; it can be read here and not set")))
            }
            switch store.lights(of: target) {
            case let .failure(failure): reply(.failed(failure))
            case let .success(lights):
                let able = lights.filter { $0.powerup != nil }
                guard !able.isEmpty else {
                    return reply(.failed(.cannot(light: lights[0].name, what: "be told what to do after a power cut")))
                }
                stack.powerup(able.map(\.id), powerup, reply)
            }
        }
    }
}
