import HashTreeCollections
import Khipu

/// Creates and deletes rooms and zones, and changes which lights are in them. They live on the bridge, and the state
/// changes once the bridge reports it.
struct RoomArranger: UseCase {
    enum Request {
        case create(RoomKind, String, [Target], Bridge.ID?)
        case add([Target], Room.ID)
        case remove([Target], Room.ID)
        case delete(Room.ID, String)
    }

    enum Response {
        case creating(RoomKind, String, Room.ID?, Outcome, leaving: [Room.Departure])
        case adding([Target], Room.ID, Outcome, leaving: [Room.Departure])
        case removing([Target], Room.ID, Outcome)
        case deleting(Room.ID, String, Outcome)
    }

    let store: AppStore
    let stack: RoomStack
    let arrangements: ArrangementQueue
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        arrangements.add(ticket, about: subjects(of: request)) { () throws(Failure) in
            try carryOut(request, ticket)
        } orElse: { failure in
            respond(.failed(request, failure), ticket)
        }
    }

    @DomainActor
    private func carryOut(_ request: Request, _ ticket: Ticket) throws(Failure) {
        let state = store.state()
        switch request {
        case let .create(kind, name, targets, bridge):
            let lights = try state.lights(of: targets)
            let bridge = try self.bridge(bridge, of: lights)
            if let failure = state.objection(to: name, of: kind, on: bridge) { throw failure }
            let leaving = kind == .room ? state.departures(of: lights, to: nil) : []
            stack.create(kind, name, lights.map(\.id), bridge) { [respond] result in
                switch result {
                case let .success(room): respond(.creating(kind, name, room, .succeeded, leaving: leaving), ticket)
                case let .failure(failure): respond(.failed(request, failure), ticket)
                }
            }
        case let .add(targets, room):
            let known = try self.room(room)
            let lights = try state.lights(of: targets)
            _ = try bridge(room.bridge, of: lights)
            let leaving = known.kind == .room ? state.departures(of: lights, to: room) : []
            stack.add(lights.map(\.id), room) { [respond] outcome in
                respond(.adding(targets, room, outcome, leaving: outcome == .succeeded ? leaving : []), ticket)
            }
        case let .remove(targets, room):
            let known = try self.room(room)
            let lights = try state.lights(of: targets)
            if let stranger = lights.first(where: { !known.lights.contains($0.id) }) {
                throw .cannot(
                    light: stranger.name, what: "be removed from '\(known.name)', because it is not in it")
            }
            stack.remove(lights.map(\.id), room) { [respond] in respond(.removing(targets, room, $0), ticket) }
        case let .delete(room, name):
            _ = try self.room(room)
            stack.delete(room) { [respond] in respond(.deleting(room, name, $0), ticket) }
        }
    }

    /// Empty if the request cannot be carried out.
    @DomainActor
    private func subjects(of request: Request) -> Set<ArrangementQueue.Subject> {
        let state = store.state()
        switch request {
        case let .create(kind, name, targets, bridge):
            guard let bridge = (try? state.lights(of: targets)).flatMap({ try? self.bridge(bridge, of: $0) }) else {
                return []
            }
            let takesLights = kind == .room && !targets.isEmpty
            return Set([.room(kind, named: name, on: bridge)] + (takesLights ? [.places(on: bridge)] : []))
        case let .add(_, id), let .remove(_, id):
            return state.rooms[id].map { [$0.kind == .room ? .places(on: id.bridge) : .lights(ofZone: id)] } ?? []
        case let .delete(id, _):
            return state.rooms[id].map { [.room($0.kind, named: $0.name, on: id.bridge)] } ?? []
        }
    }

    @DomainActor
    private func room(_ id: Room.ID) throws(Failure) -> Room {
        guard let room = store.state().rooms[id] else { throw .noSuchTarget(.room(id)) }
        return room
    }

    /// The bridge that was asked for, or that of the lights, or the only one.
    @DomainActor
    private func bridge(_ wanted: Bridge.ID?, of lights: [Light]) throws(Failure) -> Bridge.ID {
        let bridges = Set(lights.map(\.id.bridge)).union(wanted.map { [$0] } ?? [])
        guard bridges.count <= 1 else { throw .severalBridges(bridges.sorted()) }
        let known = store.state().bridges
        if let bridge = bridges.first ?? (known.count == 1 ? known.keys.first : nil) {
            guard known[bridge] != nil else { throw .noSuchBridge(bridge) }
            return bridge
        }
        throw known.isEmpty ? .notPaired : .whichBridge(known.keys.sorted())
    }
}

extension RoomArranger.Response {
    fileprivate static func failed(_ request: RoomArranger.Request, _ failure: Failure) -> Self {
        switch request {
        case let .create(kind, name, _, _): .creating(kind, name, nil, .failed(failure), leaving: [])
        case let .add(targets, room): .adding(targets, room, .failed(failure), leaving: [])
        case let .remove(targets, room): .removing(targets, room, .failed(failure))
        case let .delete(room, name): .deleting(room, name, .failed(failure))
        }
    }
}

extension AppState {
    /// The rooms that lights leave when they are put into one, and the scenes of those rooms that set them.
    ///
    /// - Parameter destination: the room; `nil` if it is to be created.
    fileprivate func departures(of lights: [Light], to destination: Room.ID?) -> [Room.Departure] {
        let others = rooms.values.filter { $0.kind == .room && $0.id != destination }
        return lights.compactMap { light in
            others.first { $0.lights.contains(light.id) }.map { room in
                let scenes = scenes(of: room.id).filter { $0.lights.contains(light.id) }
                return Room.Departure(light: light.id, room: room.id, scenes: scenes.map(\.id))
            }
        }
    }

    /// Why no other room, or zone, of this bridge can have a name: two of one name could not be told apart.
    ///
    /// - Parameter own: the room that is to have it.
    func objection(
        to name: String, of kind: RoomKind, on bridge: Bridge.ID, except own: Room.ID? = nil
    ) -> Failure? {
        if let failure = name.nameError { return failure }
        let others = rooms.values.filter { $0.id.bridge == bridge && $0.kind == kind && $0.id != own }
        return others.first { $0.name.lowercased() == name.lowercased() }.map { .roomExists($0.id) }
    }
}
