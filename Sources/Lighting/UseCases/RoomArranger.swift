import HashTreeCollections
import Khipu

/// Creates and deletes rooms and zones, and changes which lights are in them. They live on the bridge, and the state
/// changes once the bridge reports it.
struct RoomArranger: UseCase {
    enum Request {
        case create(Room.Kind, String, [Target], Bridge.ID?)
        case add([Target], Room.ID)
        case remove([Target], Room.ID)
        case delete(Room.ID, String)
    }

    enum Response {
        case creating(Room.Kind, String, Room.ID?, Outcome)
        case adding([Target], Room.ID, Outcome)
        case removing([Target], Room.ID, Outcome)
        case deleting(Room.ID, String, Outcome)
    }

    let store: AppStore
    let stack: RoomStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .create(kind, name, targets, bridge):
            let reply: Reply<Result<Room.ID, Failure>> = { [respond] result in
                switch result {
                case let .success(room): respond(.creating(kind, name, room, .succeeded), ticket)
                case let .failure(failure): respond(.creating(kind, name, nil, .failed(failure)), ticket)
                }
            }
            do throws(Failure) {
                let lights = try store.state().lights(of: targets)
                let bridge = try self.bridge(bridge, of: lights)
                if let failure = store.state().objection(to: name, of: kind, on: bridge) { throw failure }
                stack.create(kind, name, lights.map(\.id), bridge, reply)
            } catch {
                reply(.failure(error))
            }
        case let .add(targets, room):
            let reply: Reply<Outcome> = { [respond] in respond(.adding(targets, room, $0), ticket) }
            do throws(Failure) {
                _ = try self.room(room)
                let lights = try store.state().lights(of: targets)
                _ = try bridge(room.bridge, of: lights)
                stack.add(lights.map(\.id), room, reply)
            } catch {
                reply(.failed(error))
            }
        case let .remove(targets, room):
            let reply: Reply<Outcome> = { [respond] in respond(.removing(targets, room, $0), ticket) }
            do throws(Failure) {
                let known = try self.room(room)
                let lights = try store.state().lights(of: targets)
                if let stranger = lights.first(where: { !known.lights.contains($0.id) }) {
                    throw .cannot(
                        light: stranger.name, what: "be removed from '\(known.name)', because it is not in it")
                }
                stack.remove(lights.map(\.id), room, reply)
            } catch {
                reply(.failed(error))
            }
        case let .delete(room, name):
            let reply: Reply<Outcome> = { [respond] in respond(.deleting(room, name, $0), ticket) }
            do throws(Failure) {
                _ = try self.room(room)
                stack.delete(room, reply)
            } catch {
                reply(.failed(error))
            }
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

extension AppState {
    /// Why no other room, or zone, of this bridge can have a name: two of one name could not be told apart.
    ///
    /// - Parameter own: the room that is to have it.
    func objection(
        to name: String, of kind: Room.Kind, on bridge: Bridge.ID, except own: Room.ID? = nil
    ) -> Failure? {
        if let failure = name.objectionAsName { return failure }
        let others = rooms.values.filter { $0.id.bridge == bridge && $0.kind == kind && $0.id != own }
        return others.first { $0.name.lowercased() == name.lowercased() }.map { .roomExists($0.id) }
    }
}
