public import Khipu

// swift-format-ignore
extension Message {
    public enum Scenes: Equatable, Codable, Sendable {
        // Commands, each followed by its response once the bridge has reported the change.
        /// Stores what the lights of these targets show as a scene of the room or zone that they share.
        case save    (named: String, of: [Target])
        case saving  (named: String, Scene.ID?, Outcome)
        /// Stores what the scene's lights show now.
        case update  (Scene.ID)
        case updating(Scene.ID, Outcome)
        /// Changes what it sets on some lights.
        case edit    (Scene.ID, of: [Target], by: Scene.Edit)
        case editing (Scene.ID, of: [Target], by: Scene.Edit, Outcome)
        case rename  (Scene.ID, to: String)
        case renaming(Scene.ID, to: String, Outcome)
        /// With its name, by which the journal calls it once it is gone.
        case delete  (Scene.ID, named: String)
        case deleting(Scene.ID, named: String, Outcome)
        /// Reads what it sets on each light.
        case read    (Scene.ID)
        case reading (Scene.ID, [DesiredState], Outcome)
        /// Ends an active smart scene: its bridge recalls no more scenes. Recalling it makes it active.
        case deactivate  (Scene.ID)
        case deactivating(Scene.ID, Outcome)
        /// Puts the scenes of a room or zone into an order, which lightd keeps.
        case reorder     (scenesOf: Room.ID, by: Scene.Ordering)
        case reordering  (scenesOf: Room.ID, by: Scene.Ordering, Outcome)

        public var outcome: Outcome? {
            switch self {
            case let .saving(_, _, o), let .updating(_, o), let .editing(_, _, _, o), let .renaming(_, _, o),
                 let .deleting(_, _, o), let .reading(_, _, o), let .deactivating(_, o), let .reordering(_, _, o): o
            case .save, .update, .edit, .rename, .delete, .read, .deactivate, .reorder: nil
            }
        }
    }
}

/// Scenes: saves, updates, edits, renames, deletes, reads, deactivates and reorders them. Recalling one changes lights, and
/// belongs to the lighting feature.
@DomainActor
public func createScenesFeature(
    store: AppStore,
    stack: SceneStack,
    archive: Archive,
    arrangements: ArrangementQueue,
    output: @escaping Output<Message>
) -> Input<Message> {
    let keeper = SceneKeeper(store: store, stack: stack, archive: archive, arrangements: arrangements) {
        output(.scenes(Message.Scenes($0), ticket: $1))
    }

    // swift-format-ignore
    @DomainActor func execute(_ message: Message.Scenes, _ ticket: Ticket) {
        switch message {
        case let .save  (named: name, of: targets)                : keeper.request(to: .save(name, targets), ticket: ticket)
        case let .update(scene)                                   : keeper.request(to: .update(scene), ticket: ticket)
        case let .edit  (scene, of: targets, by: edit)            : keeper.request(to: .edit(scene, targets, edit), ticket: ticket)
        case let .rename(scene, to: name)                         : keeper.request(to: .rename(scene, name), ticket: ticket)
        case let .delete(scene, named: name)                      : keeper.request(to: .delete(scene, name), ticket: ticket)
        case let .read  (scene)                                   : keeper.request(to: .read(scene), ticket: ticket)
        case let .deactivate(scene)                               : keeper.request(to: .deactivate(scene), ticket: ticket)
        case let .reorder(scenesOf: room, by: ordering)           : keeper.request(to: .reorder(room, ordering), ticket: ticket)
        case .saving, .updating, .editing, .renaming, .deleting, .reading, .deactivating, .reordering: arrangements.finish(ticket, message.outcome)
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
        case let .editing (scene, targets, edit, outcome): self = .editing(scene, of: targets, by: edit, outcome)
        case let .renaming(scene, name, outcome)  : self = .renaming(scene, to: name, outcome)
        case let .deleting(scene, name, outcome)  : self = .deleting(scene, named: name, outcome)
        case let .reading (scene, states, outcome): self = .reading(scene, states, outcome)
        case let .deactivating(scene, outcome)    : self = .deactivating(scene, outcome)
        case let .reordering(room, ordering, outcome): self = .reordering(scenesOf: room, by: ordering, outcome)
        }
    }
}
