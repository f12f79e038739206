public import Khipu

/// Bridges: finding them, pairing with them, and how the lines to them are.
@DomainActor
public func createBridgesFeature(
    store: AppStore,
    stack: BridgeStack,
    archive: Archive,
    clock: Clock,
    output: @escaping Output<Message>
) -> Input<Message> {
    let discoverer = BridgeDiscoverer(stack: stack, responder: process(on: output))
    let pairer = BridgePairer(stack: stack, archive: archive, responder: process(on: output))
    let forgetter = BridgeForgetter(store: store, stack: stack, archive: archive, responder: process(on: output))
    let listener = BridgeTracker(store: store, archive: archive, responder: process(on: output))

    stack.listen { news in
        output(.bridges(news.message, ticket: .unasked(from: "bridge \(news.bridge)", at: clock.now())))
    }

    // swift-format-ignore
    @DomainActor func execute(_ command: Message.Bridges, _ ticket: Ticket) {
        switch command {
        case let .discover(for: duration)              : discoverer.request(to: .discover(for: duration, ticket))
        case let .pair    (bridge, waiting: duration)  : pairer    .request(to: .pair(bridge, waiting: duration, ticket))
        case let .forget  (bridge)                     : forgetter .request(to: .forget(bridge, ticket))

        case let .joined   (bridge)                    : listener  .request(to: .join(bridge))
        case let .connected(bridge, by: hearing)       : listener  .request(to: .connect(bridge, by: hearing, at: ticket.time))
        case let .lost     (bridge, because: why)      : listener  .request(to: .lose(bridge, because: why, at: ticket.time))
        case let .seen     (bridge, at: a, name: n, model: m): listener.request(to: .see(bridge, at: a, name: n, model: m, time: ticket.time))

        case let .forgetting(bridge, .succeeded)       : listener  .request(to: .forget(bridge))
        case .discovering, .pairing, .forgetting       : break
        }
    }

    return { message in
        if case let .bridges(command, ticket) = message { execute(command, ticket) }
    }
}

extension ConnectionEvent {
    fileprivate var bridge: Bridge.ID {
        switch self {
        case let .connected(id, _), let .lost(id, _), let .seen(id, _, _, _): id
        }
    }

    fileprivate var message: Message.Bridges {
        switch self {
        case let .connected(id, by: hearing): .connected(id, by: hearing)
        case let .lost(id, because: reason): .lost(id, because: reason)
        case let .seen(id, at: address, name: name, model: model): .seen(id, at: address, name: name, model: model)
        }
    }
}

private func process(on output: @escaping Output<Message>) -> Output<BridgeDiscoverer.Response> {
    {
        switch $0 {
        case let .discovering(found, ticket): output(.bridges(.discovering(found, .succeeded), ticket: ticket))
        }
    }
}

private func process(on output: @escaping Output<Message>) -> Output<BridgePairer.Response> {
    {
        switch $0 {
        case let .joined(bridge, ticket): output(.bridges(.joined(bridge), ticket: ticket))
        case let .pairing(bridge, outcome, ticket): output(.bridges(.pairing(bridge, outcome), ticket: ticket))
        }
    }
}

private func process(on output: @escaping Output<Message>) -> Output<BridgeForgetter.Response> {
    {
        switch $0 {
        case let .forgetting(bridge, outcome, ticket): output(.bridges(.forgetting(bridge, outcome), ticket: ticket))
        }
    }
}

private func process(on output: @escaping Output<Message>) -> Output<BridgeTracker.Response> {
    {
        switch $0 {
        case let .notKept(failure, at: time): output(.unsaved(failure, at: time))
        }
    }
}
