public import Khipu

/// Scenes: saves, updates, renames, deletes and reads them. Recalling one changes lights, and belongs to the lighting
/// feature.
@DomainActor
public func createScenesFeature(
    store: AppStore,
    stack: SceneStack,
    arrangements: ArrangementQueue,
    output: @escaping Output<Message>
) -> Input<Message> {
    let keeper = SceneKeeper(store: store, stack: stack, arrangements: arrangements) { response, ticket in
        output(.scenes(Message.Scenes(response), ticket: ticket))
    }

    // swift-format-ignore
    @DomainActor func execute(_ message: Message.Scenes, _ ticket: Ticket) {
        switch message {
        case let .save  (named: name, of: targets)                : keeper.request(to: .save(name, targets), ticket: ticket)
        case let .update(scene)                                   : keeper.request(to: .update(scene), ticket: ticket)
        case let .rename(scene, to: name)                         : keeper.request(to: .rename(scene, name), ticket: ticket)
        case let .delete(scene, named: name)                      : keeper.request(to: .delete(scene, name), ticket: ticket)
        case let .read  (scene)                                   : keeper.request(to: .read(scene), ticket: ticket)
        case .saving, .updating, .renaming, .deleting, .reading   : arrangements.finish(ticket, message.outcome)
        }
    }

    return { message in
        if case let .scenes(message, ticket) = message { execute(message, ticket) }
    }
}

// swift-format-ignore
extension Message.Scenes {
    fileprivate init(_ response: SceneKeeper.Response) {
        switch response {
        case let .saving  (name, scene, outcome)  : self = .saving(named: name, scene, outcome)
        case let .updating(scene, outcome)        : self = .updating(scene, outcome)
        case let .renaming(scene, name, outcome)  : self = .renaming(scene, to: name, outcome)
        case let .deleting(scene, name, outcome)  : self = .deleting(scene, named: name, outcome)
        case let .reading (scene, states, outcome): self = .reading(scene, states, outcome)
        }
    }
}
