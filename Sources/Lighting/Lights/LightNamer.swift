import HashTreeCollections
public import Khipu

/// Renames lights, rooms and zones. Names live on the bridge; the state changes once the bridge reports the name.
struct LightNamer: UseCase {
    enum Request { case name(Target, String) }
    enum Response { case naming(Target, String, Outcome) }

    let store: AppStore
    let stack: LightStack
    let arrangements: ArrangementQueue
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .name(target, name):
            let reply: Reply<Outcome> = { [respond] in respond(.naming(target, name, $0), ticket) }
            arrangements.add(ticket, about: subjects(of: target, named: name)) { () throws(Failure) in
                try check(name, for: target)
                stack.rename(target, name, reply)
            } orElse: { failure in
                reply(.failed(failure))
            }
        }
    }

    /// The name that a room has and the one that it is to have. Two lights may have the same.
    @DomainActor
    private func subjects(of target: Target, named name: String) -> Set<ArrangementQueue.Subject> {
        guard case let .room(id) = target, let room = store.state().rooms[id] else { return [] }
        return [.room(room.kind, named: room.name, on: id.bridge), .room(room.kind, named: name, on: id.bridge)]
    }

    @DomainActor
    private func check(_ name: String, for target: Target) throws(Failure) {
        if let failure = name.nameError { throw failure }
        let state = store.state()
        switch target {
        case let .light(id): if state.lights[id] == nil { throw .noSuchTarget(target) }
        case let .room(id):
            guard let room = state.rooms[id] else { throw .noSuchTarget(target) }
            if let failure = state.objection(to: name, of: room.kind, on: id.bridge, except: id) { throw failure }
        case .all: throw .invalid("'all' cannot be renamed; name one light or @room")
        }
    }
}

extension Light {
    /// Lamps blink for a while to tell something, and are left as they were.
    public struct Signal: Hashable, Codable, Sendable {
        /// One colour in which they blink, or two that they show in turns; none blinks in what they show. A lamp without
        /// colours blinks all the same.
        public let colors: [Color]
        /// 0 ends a signal.
        public let milliseconds: Int

        public init(_ colors: [Color] = [], milliseconds: Int) {
            (self.colors, self.milliseconds) = (colors, milliseconds)
        }
    }

    /// A signal that its bridge says it runs.
    public struct RunningSignal: Hashable, Codable, Sendable {
        /// As in ``Signal``.
        public let colors: [Color]
        public let end: Timestamp

        public init(_ colors: [Color] = [], until end: Timestamp) { (self.colors, self.end) = (colors, end) }
    }
}

/// Makes lamps blink, so that a person sees which they are, or is told something. They are left as they were, so it is no
/// step to undo.
struct LightIdentifier: UseCase {
    enum Request {
        case identify(Target)
        case signal(Light.Signal, Target)
    }
    enum Response {
        case identifying(Target, Outcome)
        case signaling(Light.Signal, Target, Outcome)
    }

    let store: AppStore
    let stack: LightStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .identify(target):
            carryOut(stack.identify, on: target) { [respond] in respond(.identifying(target, $0), ticket) }
        case let .signal(signal, target):
            let isColored = !signal.colors.isEmpty
            carryOut({ [stack] in stack.signal($0, signal, $1) }, on: target, needing: isColored ? .color : nil) {
                [respond] in respond(.signaling(signal, target, $0), ticket)
            }
        }
    }

    /// - Parameter ability: what at least one of the lamps must have.
    @DomainActor
    private func carryOut(
        _ command: ([Light.ID], @escaping Reply<Outcome>) -> Void, on target: Target,
        needing ability: Light.Ability? = nil,
        _ reply: @escaping Reply<Outcome>
    ) {
        let state = store.state()
        do throws(Failure) {
            let lights = try state.lights(of: target)
            if let ability, !lights.contains(where: { $0.has(ability) }) { throw lights.failure(lacking: ability) }
            let ids = lights.map(\.id)
            command(ids) { reply(state.outcome($0, at: ids, of: target)) }
        } catch {
            reply(.failed(error))
        }
    }
}

/// Reads everything from the bridges again. What they contain arrives as updates; the response only says whether they
/// could be read.
struct LightLoader: UseCase {
    enum Request { case load }
    enum Response { case loading(Outcome) }

    let stack: LightStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case .load: stack.load { [respond] outcome in respond(.loading(outcome), ticket) }
        }
    }
}
