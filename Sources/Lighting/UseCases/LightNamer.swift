import HashTreeCollections
import Khipu

/// Renames lights, rooms and zones. Names live on the bridge; the state changes once the bridge has accepted the name.
struct LightNamer: UseCase {
    enum Request { case name(Target, String) }
    enum Response { case naming(Target, String, Outcome) }

    let store: AppStore
    let stack: LightStack
    let arrangements: ArrangementQueue
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .name(.room(room), name):
            let known = store.state().rooms[room]
            let names = known.map { [$0.name, name].map { $0.lowercased() } } ?? []
            let subjects = names.map {
                ArrangementQueue.Subject.room(known?.kind ?? .room, named: $0, on: room.bridge)
            }
            arrangements.add(ticket, about: Set(subjects)) { rename(.room(room), name, ticket, unless: $0) }
        case let .name(target, name): rename(target, name, ticket)
        }
    }

    @DomainActor
    private func rename(
        _ target: Target, _ name: String, _ ticket: Ticket, unless objection: Failure? = nil
    ) {
        let reply: Reply<Outcome> = { [respond] in respond(.naming(target, name, $0), ticket) }
        if let failure = objection ?? self.objection(to: name, for: target) { return reply(.failed(failure)) }
        stack.rename(target, name, reply)
    }

    @DomainActor
    private func objection(to name: String, for target: Target) -> Failure? {
        if let failure = name.objectionAsName { return failure }
        let state = store.state()
        switch target {
        case let .light(id): return state.lights[id] == nil ? .noSuchTarget(target) : nil
        case let .room(id):
            guard let room = state.rooms[id] else { return .noSuchTarget(target) }
            return state.objection(to: name, of: room.kind, on: id.bridge, except: id)
        case .all: return .invalid("'all' cannot be renamed; name one light or @room")
        }
    }
}
