public import Khipu

// swift-format-ignore
extension Message {
    public enum Rooms: Equatable, Codable, Sendable {
        // Commands, each followed by its response once the bridge has reported the change.
        /// Creates a room or zone of the lights of these targets; without a bridge, on theirs, or on the only one.
        case create  (RoomKind, named: String, [Target], on: Bridge.ID?)
        /// What left other rooms for it is missing in what older versions have recorded.
        case creating(RoomKind, named: String, Room.ID?, Outcome, leaving: [Room.Departure]? = nil)
        /// Puts lights into a room, which takes them from another, or into a zone.
        case add     ([Target], to: Room.ID)
        case adding  ([Target], to: Room.ID, Outcome, leaving: [Room.Departure]? = nil)
        case remove  ([Target], from: Room.ID)
        case removing([Target], from: Room.ID, Outcome)
        /// With its name, by which the journal calls it once it is gone.
        case delete  (Room.ID, named: String)
        case deleting(Room.ID, named: String, Outcome)

        public var outcome: Outcome? {
            switch self {
            case let .creating(_, _, _, o, _), let .adding(_, _, o, _), let .removing(_, _, o), let .deleting(_, _, o): o
            case .create, .add, .remove, .delete: nil
            }
        }
    }
}

/// Rooms and zones: creates and deletes them, and changes which lights are in them.
@DomainActor
public func createRoomsFeature(
    store: AppStore,
    stack: RoomStack,
    arrangements: ArrangementQueue,
    output: @escaping Output<Message>
) -> Input<Message> {
    let arranger = RoomArranger(store: store, stack: stack, arrangements: arrangements) { response, ticket in
        output(.rooms(Message.Rooms(response), ticket: ticket))
    }

    // swift-format-ignore
    @DomainActor func execute(_ message: Message.Rooms, _ ticket: Ticket) {
        switch message {
        case let .create(kind, named: name, targets, on: b) : arranger.request(to: .create(kind, name, targets, b), ticket: ticket)
        case let .add   (targets, to: room)                 : arranger.request(to: .add(targets, room), ticket: ticket)
        case let .remove(targets, from: room)               : arranger.request(to: .remove(targets, room), ticket: ticket)
        case let .delete(room, named: name)                 : arranger.request(to: .delete(room, name), ticket: ticket)
        case .creating, .adding, .removing, .deleting       : arrangements.finish(ticket, message.outcome)
        }
    }

    return { message in
        if case let .rooms(message, ticket) = message { execute(message, ticket) }
    }
}

// swift-format-ignore
extension Message.Rooms {
    fileprivate init(_ response: RoomArranger.Response) {
        switch response {
        case let .creating(kind, name, room, outcome, leaving): self = .creating(kind, named: name, room, outcome, leaving: leaving.nonEmpty)
        case let .adding  (targets, room, outcome, leaving)   : self = .adding(targets, to: room, outcome, leaving: leaving.nonEmpty)
        case let .removing(targets, room, outcome)            : self = .removing(targets, from: room, outcome)
        case let .deleting(room, name, outcome)               : self = .deleting(room, named: name, outcome)
        }
    }
}
