import Lighting
import Synchronization

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
                ask(scene.id.bridge, reply) { parts, now in
                    if scene.isEnding { return parts.deactivate(scene.id, reply, at: now) }
                    parts.recall(scene, transition, ticket, reply, at: now)
                }
            },
            configure: { lights, change, reply in
                let collector = OutcomeCollector(lights.map { [.light($0)] }, reply)
                for (place, light) in lights.enumerated() {
                    let reply: Reply<Outcome> = { collector.put($0, at: place) }
                    ask(light.bridge, reply) { $0.configure(light, change, reply, at: $1) }
                }
            },
            identify: { lights, reply in
                let collector = OutcomeCollector(lights.map { [.light($0)] }, reply)
                for (place, light) in lights.enumerated() {
                    let reply: Reply<Outcome> = { collector.put($0, at: place) }
                    ask(light.bridge, reply) { $0.identify(light, reply, at: $1) }
                }
            },
            signal: { lights, signal, reply in
                let parts = Dictionary(grouping: lights, by: \.bridge).sorted { $0.key < $1.key }
                let collector = OutcomeCollector(parts.map { $0.value.map { .light($0) } }, reply)
                for (place, (bridge, lights)) in parts.enumerated() {
                    ask(bridge, { collector.put($0, at: place) }) {
                        $0.signal(lights, signal, { collector.put($0, at: place) }, at: $1)
                    }
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

/// Collects the outcomes of several parts and replies once, when the last has come.
final class OutcomeCollector: Sendable {
    private let targets: [[Target]]
    private let outcomes: Mutex<[Outcome?]>
    private let reply: Reply<Outcome>

    /// - Parameter targets: the targets of each part; a part that fails as a whole fails for all of them.
    init(_ targets: [[Target]], _ reply: @escaping Reply<Outcome>) {
        self.targets = targets
        self.reply = reply
        outcomes = Mutex(Array(repeating: nil, count: targets.count))
        if targets.isEmpty { reply(.succeeded) }
    }

    func put(_ outcome: Outcome, at place: Int) {
        let whole: [Outcome]? = outcomes.withLock { outcomes in
            guard outcomes[place] == nil else { return nil }
            outcomes[place] = outcome
            let known = outcomes.compactMap { $0 }
            return known.count == outcomes.count ? known : nil
        }
        guard let whole else { return }
        // A single part speaks for itself.
        if let only = whole.first, whole.count == 1 { return reply(only) }
        reply(.all(zip(targets, whole).flatMap { targets, outcome in parts(targets, outcome) }))
    }

    /// A part's outcome, target by target.
    private func parts(_ targets: [Target], _ outcome: Outcome) -> [(target: Target, outcome: Outcome)] {
        guard case let .failed(.partly(failed, of: _)) = outcome else { return targets.map { ($0, outcome) } }
        let failures = Dictionary(failed.map { ($0.target, $0.failure) }) { one, _ in one }
        return targets.map { ($0, failures[$0].map { .failed($0) } ?? .succeeded) }
    }
}
