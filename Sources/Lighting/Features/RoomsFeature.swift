public import Khipu

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
