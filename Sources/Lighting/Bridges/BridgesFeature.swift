public import Khipu

// swift-format-ignore
extension Message {
    public enum Bridges: Equatable, Codable, Sendable {
        // Commands, each followed by its response.
        /// Looks for bridges for about this long.
        case discover   (for: Duration)
        case discovering([Discovery], Outcome)
        /// Pairs with this bridge, or with the only one in reach, waiting this long for its link button.
        case pair       (Bridge.ID?, waiting: Duration)
        case pairing    (Bridge.ID?, Outcome)
        case forget     (Bridge.ID)
        case forgetting (Bridge.ID, Outcome)

        // Facts.
        /// Paired: known since the start, or paired just now.
        case joined     (Bridge)
        case connected  (Bridge.ID, by: Bridge.UpdateMode)
        case lost       (Bridge.ID, because: Failure)
        case seen       (Bridge.ID, at: Bridge.Address, name: String, model: String)

        public var outcome: Outcome? {
            switch self {
            case let .discovering(_, o), let .pairing(_, o), let .forgetting(_, o): o
            case .discover, .pair, .forget, .joined, .connected, .lost, .seen: nil
            }
        }
    }
}

/// Bridges: discovers them, pairs with them, forgets them, and tracks the connection to each.
@DomainActor
public func createBridgesFeature(
    store: AppStore,
    stack: BridgeStack,
    archive: Archive,
    clock: Clock,
    output: @escaping Output<Message>
) -> Input<Message> {
    func responder<Response>(_ message: @escaping @Sendable (Response) -> Message.Bridges) -> Responder<Response> {
        { output(.bridges(message($0), ticket: $1)) }
    }
    let discoverer = BridgeDiscoverer(stack: stack, respond: responder(Message.Bridges.init))
    let pairer = BridgePairer(stack: stack, archive: archive, respond: responder(Message.Bridges.init))
    let forgetter = BridgeForgetter(
        store: store, stack: stack, archive: archive, respond: responder(Message.Bridges.init))
    let tracker = BridgeTracker(store: store, archive: archive) { response, ticket in
        switch response {
        case let .notSaved(failure): output(.notSaved(failure, at: ticket.time))
        }
    }

    stack.listen { event in
        output(.bridges(Message.Bridges(event), ticket: .unasked(from: "bridge \(event.bridge)", at: clock.now())))
    }

    // swift-format-ignore
    @DomainActor func execute(_ message: Message.Bridges, _ ticket: Ticket) {
        switch message {
        case let .discover (for: duration)              : discoverer.request(to: .discover(for: duration), ticket: ticket)
        case let .pair     (bridge, waiting: duration)  : pairer    .request(to: .pair(bridge, waiting: duration), ticket: ticket)
        case let .forget   (bridge)                     : forgetter .request(to: .forget(bridge), ticket: ticket)

        case let .joined   (bridge)                     : tracker   .request(to: .join(bridge), ticket: ticket)
        case let .connected(bridge, by: mode)           : tracker   .request(to: .connect(bridge, by: mode), ticket: ticket)
        case let .lost     (bridge, because: failure)   : tracker   .request(to: .lose(bridge, because: failure), ticket: ticket)
        case let .seen     (bridge, at: a, name: n, model: m): tracker.request(to: .see(bridge, at: a, name: n, model: m), ticket: ticket)

        case let .forgetting(bridge, .succeeded)        : tracker   .request(to: .forget(bridge), ticket: ticket)
        case .discovering, .pairing, .forgetting        : break
        }
    }

    return { message in
        if case let .bridges(message, ticket) = message { execute(message, ticket) }
    }
}

extension Message.Bridges {
    fileprivate init(_ event: ConnectionEvent) {
        switch event {
        case let .connected(id, by: mode): self = .connected(id, by: mode)
        case let .lost(id, because: failure): self = .lost(id, because: failure)
        case let .seen(id, at: address, name: name, model: model):
            self = .seen(id, at: address, name: name, model: model)
        }
    }

    fileprivate init(_ response: BridgeDiscoverer.Response) {
        switch response {
        case let .discovering(found): self = .discovering(found, .succeeded)
        }
    }

    fileprivate init(_ response: BridgePairer.Response) {
        switch response {
        case let .joined(bridge): self = .joined(bridge)
        case let .pairing(bridge, outcome): self = .pairing(bridge, outcome)
        }
    }

    fileprivate init(_ response: BridgeForgetter.Response) {
        switch response {
        case let .forgetting(bridge, outcome): self = .forgetting(bridge, outcome)
        }
    }
}

extension ConnectionEvent {
    fileprivate var bridge: Bridge.ID {
        switch self {
        case let .connected(id, _), let .lost(id, _), let .seen(id, _, _, _): id
        }
    }
}
