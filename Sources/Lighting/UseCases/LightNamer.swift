import HashTreeCollections
public import Khipu

/// Gives lights, rooms and zones their names. The name lives on the bridge; ours changes when the bridge has taken it.
public struct LightNamer: UseCase {
    public enum Request { case name(Target, String, Ticket) }
    public enum Response { case naming(Target, String, Outcome, Ticket) }

    private let store: AppStore
    private let stack: LightStack
    private let respond: Output<Response>

    public init(store: AppStore, stack: LightStack, responder: @escaping Output<Response>) {
        self.store = store
        self.stack = stack
        self.respond = responder
    }

    public func request(to request: Request) {
        switch request {
        case let .name(target, name, ticket):
            let reply: Reply<Outcome> = { [respond] in respond(.naming(target, name, $0, ticket)) }
            if let failure = objection(to: name, for: target) { return reply(.failed(failure)) }
            stack.rename(target, name, reply)
        }
    }

    /// Bridges take 1 to 32 characters (openhue/openhue-api).
    @DomainActor
    private func objection(to name: String, for target: Target) -> Failure? {
        guard (1...32).contains(name.unicodeScalars.count), name.contains(where: { !$0.isWhitespace }) else {
            return .invalid("'\(name)' is no name for a light or room: bridges take 1 to 32 characters")
        }
        guard name.lowercased() != "all", !name.hasPrefix("@"), !name.unicodeScalars.contains(where: { $0.value < 32 })
        else {
            return .invalid("'\(name)' would lead astray: 'all' and names beginning with '@' mean other things here")
        }
        return switch target {
        case let .light(id): store.state().lights[id] == nil ? .noSuchTarget(target) : nil
        case let .room(id): store.state().rooms[id] == nil ? .noSuchTarget(target) : nil
        case .all: .invalid("'all' has no name to change; name one light or @room")
        }
    }
}
