import HashTreeCollections
import Khipu

/// Renames lights, rooms and zones. Names live on the bridge; the state changes once the bridge has accepted the name.
struct LightNamer: UseCase {
    enum Request { case name(Target, String) }
    enum Response { case naming(Target, String, Outcome) }

    let store: AppStore
    let stack: LightStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .name(target, name):
            let reply: Reply<Outcome> = { [respond] in respond(.naming(target, name, $0), ticket) }
            if let failure = objection(to: name, for: target) { return reply(.failed(failure)) }
            stack.rename(target, name, reply)
        }
    }

    /// Bridges accept 1 to 32 characters (openhue/openhue-api).
    @DomainActor
    private func objection(to name: String, for target: Target) -> Failure? {
        guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            return .invalid("a name must consist of printable characters")
        }
        guard (1...32).contains(name.unicodeScalars.count), name.contains(where: { !$0.isWhitespace }) else {
            return .invalid("'\(name)' cannot be used as a name: bridges accept 1 to 32 characters")
        }
        guard name.lowercased() != "all", !name.hasPrefix("@") else {
            return .invalid("'\(name)' cannot be used as a name: 'all' and '@' have a meaning of their own here")
        }
        return switch target {
        case let .light(id): store.state().lights[id] == nil ? .noSuchTarget(target) : nil
        case let .room(id): store.state().rooms[id] == nil ? .noSuchTarget(target) : nil
        case .all: .invalid("'all' cannot be renamed; name one light or @room")
        }
    }
}
