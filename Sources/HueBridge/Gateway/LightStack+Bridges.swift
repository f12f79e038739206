import Lighting

extension LightStack {
    /// Puts a command into the queue of a bridge, or replies why it cannot.
    typealias Ask =
        @Sendable (
            Bridge.ID, _ reply: @escaping Reply<Outcome>,
            _ command: (inout BridgeConnection.Parts, _ now: Duration) -> Void
        ) -> Void

    /// Commands to lights, each part put into the queue of its bridge.
    init(
        load: @escaping @Sendable (@escaping Reply<Outcome>) -> Void,
        listen: @escaping @Sendable (@escaping @Sendable (BridgeUpdate) -> Void) -> Void,
        ask: @escaping Ask
    ) {
        self.init(
            load: load,
            set: { orders, transition, ticket, reply in
                let parts = Dictionary(grouping: orders, by: \.light.bridge).sorted { $0.key < $1.key }
                let collector = OutcomeCollector(parts.map { $0.value.map { .light($0.light) } }, reply)
                for (place, (bridge, orders)) in parts.enumerated() {
                    let reply: Reply<Outcome> = { collector.put($0, at: place) }
                    ask(bridge, reply) { $0.set(orders, transition, ticket, reply, at: $1) }
                }
            },
            rename: { target, name, reply in
                guard let bridge = target.bridge else { return reply(.failed(.invalid("a home cannot be renamed"))) }
                ask(bridge, reply) { $0.rename(target, name, reply, at: $1) }
            },
            recall: { scene, transition, ticket, reply in
                ask(scene.bridge, reply) { $0.recall(scene, transition, ticket, reply, at: $1) }
            },
            powerup: { lights, powerup, reply in
                let collector = OutcomeCollector(lights.map { [.light($0)] }, reply)
                for (place, light) in lights.enumerated() {
                    let reply: Reply<Outcome> = { collector.put($0, at: place) }
                    ask(light.bridge, reply) { $0.set(powerup, of: light, reply, at: $1) }
                }
            },
            identify: { lights, reply in
                let collector = OutcomeCollector(lights.map { [.light($0)] }, reply)
                for (place, light) in lights.enumerated() {
                    let reply: Reply<Outcome> = { collector.put($0, at: place) }
                    ask(light.bridge, reply) { $0.identify(light, reply, at: $1) }
                }
            },
            listen: listen
        )
    }
}

extension Target {
    /// The bridge that it belongs to; `nil` for all lights, which may belong to several.
    fileprivate var bridge: Bridge.ID? {
        switch self {
        case let .light(id): id.bridge
        case let .room(id): id.bridge
        case .all: nil
        }
    }
}
