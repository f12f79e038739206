public import Khipu

/// Gives lights values, and switches on those that are off: who sets a level wants to see it. In a room, lamps that cannot do
/// what is asked are passed over.
public struct LightValueSetter: UseCase {
    public enum Request { case apply(Light.Setting, Target, Transition, Ticket) }
    public enum Response { case applying(Light.Setting, Target, Outcome, Ticket) }

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
        case let .apply(setting, target, transition, ticket):
            apply(setting, target, transition, ticket) { [respond] in respond(.applying(setting, target, $0, ticket)) }
        }
    }

    @DomainActor
    private func apply(
        _ setting: Light.Setting, _ target: Target, _ transition: Transition, _ ticket: Ticket,
        _ reply: @escaping Reply<Outcome>
    ) {
        let lights: [Light]
        switch store.lights(of: target) {
        case let .failure(failure): return reply(.failed(failure))
        case let .success(found): lights = found
        }
        let able = lights.filter { $0.can(setting) }
        guard !able.isEmpty else {
            return reply(.failed(.cannot(light: lights[0].name, what: setting.ability)))
        }
        let orders = able.map { DesiredState($0.id, power: .on, setting: setting.completed(for: $0)) }
        store.record(.apply(.values(setting), on: target, over: transition), on: able.map(\.id), by: ticket)
        store.expect([.turning(.it(.on))] + setting.changes, of: able, by: ticket)
        stack.set(orders, transition, ticket, reply)
    }
}

extension Light.Setting {
    /// A colour is told to a lamp as a whole: the half that was not named is what the lamp shows now.
    func completed(for light: Light) -> Self {
        switch self {
        case .hsb(nil, nil, let brightness?): .bri(brightness)
        case let .hsb(hue, saturation, brightness):
            .hsb(hue: hue ?? light.hue, saturation: saturation ?? light.saturation, brightness: brightness)
        case .ct, .bri: self
        }
    }

    /// Completes "'Stove' cannot …".
    fileprivate var ability: String {
        switch self {
        case .hsb: "show colours"
        case .ct: "change its white tone"
        case .bri: "be dimmed"
        }
    }
}
