import HashTreeCollections
import Khipu

/// Saves, updates, edits, renames, deletes, reads and deactivates scenes. They live on the bridge, and the state changes
/// once the bridge reports it. Their order is lightd's own.
struct SceneKeeper: UseCase {
    enum Request {
        case save(String, [Target])
        case update(Scene.ID)
        case edit(Scene.ID, [Target], Scene.Edit)
        case rename(Scene.ID, String)
        case delete(Scene.ID, String)
        case read(Scene.ID)
        case deactivate(Scene.ID)
        case reorder(Room.ID, Scene.Ordering)
    }

    enum Response {
        case saving(String, Scene.ID?, Outcome)
        case updating(Scene.ID, Outcome)
        case editing(Scene.ID, [Target], Scene.Edit, Outcome)
        case renaming(Scene.ID, String, Outcome)
        case deleting(Scene.ID, String, Outcome)
        case reading(Scene.ID, [DesiredState], Outcome)
        case deactivating(Scene.ID, Outcome)
        case reordering(Room.ID, Scene.Ordering, Outcome)
    }

    let store: AppStore
    let stack: SceneStack
    let archive: Archive
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
        switch request {
        case let .save(name, targets):
            let (room, lights) = try store.state().sceneRoom(of: targets)
            try check(name, in: room)
            stack.save(name, lights, room) { [respond] result in
                switch result {
                case let .success(scene): respond(.saving(name, scene, .succeeded), ticket)
                case let .failure(failure): respond(.failed(request, failure), ticket)
                }
            }
        case let .update(scene):
            guard try self.scene(scene).smart == nil else {
                throw .invalid("a smart scene stores nothing that its lights show: it recalls other scenes")
            }
            guard store.state().lights(of: scene)?.isEmpty == false else {
                throw .invalid("the scene has no lights whose state it could store")
            }
            stack.update(scene) { [respond] in respond(.updating(scene, $0), ticket) }
        case let .edit(scene, targets, edit):
            let (set, removed) = try store.state().lights(of: targets, in: scene, by: edit)
            stack.edit(scene, set, removed) { [respond] in respond(.editing(scene, targets, edit, $0), ticket) }
        case let .rename(scene, name):
            let known = try self.scene(scene)
            try check(name, in: known.room, except: scene)
            stack.rename(scene, name) { [respond] in respond(.renaming(scene, name, $0), ticket) }
        case let .delete(scene, name):
            _ = try self.scene(scene)
            stack.delete(scene) { [respond] in respond(.deleting(scene, name, $0), ticket) }
        case let .read(scene):
            // What a smart scene is, is known without the bridge.
            guard try self.scene(scene).smart == nil else { return respond(.reading(scene, [], .succeeded), ticket) }
            stack.read(scene) { [respond] result in
                switch result {
                case let .success(states): respond(.reading(scene, states, .succeeded), ticket)
                case let .failure(failure): respond(.failed(request, failure), ticket)
                }
            }
        case let .deactivate(scene):
            let known = try self.scene(scene)
            guard known.smart != nil else {
                throw .invalid("'\(known.name)' is no smart scene: only those are deactivated")
            }
            stack.deactivate(scene) { [respond] in respond(.deactivating(scene, $0), ticket) }
        case let .reorder(room, ordering):
            store.change(by: try store.state().ordering(scenesOf: room, by: ordering))
            let orders = store.state().sceneOrders.values.filter { $0.id.bridge == room.bridge }
            archive.keep(.sceneOrders(of: room.bridge, orders.sorted { $0.id < $1.id })) { [respond] in
                respond(.reordering(room, ordering, $0), ticket)
            }
        }
    }

    /// Names only: what lights show is stored at once, before later commands change it.
    @DomainActor
    private func subjects(of request: Request) -> Set<ArrangementQueue.Subject> {
        func known(_ scene: Scene.ID) -> Scene? { store.state().scenes[scene] }
        return switch request {
        case let .save(name, targets):
            (try? store.state().sceneRoom(of: targets)).map { [.scene(named: name, of: $0.0)] } ?? []
        case let .rename(scene, name):
            known(scene).map { [.scene(named: name, of: $0.room), .scene(named: $0.name, of: $0.room)] } ?? []
        case let .delete(scene, _), let .edit(scene, _, _):
            known(scene).map { [.scene(named: $0.name, of: $0.room)] } ?? []
        case .update, .read, .deactivate, .reorder: []
        }
    }

    @DomainActor
    private func scene(_ id: Scene.ID) throws(Failure) -> Scene {
        guard let scene = store.state().scenes[id] else { throw .noSuchScene(id) }
        return scene
    }

    /// Two scenes of one name in one room could not be told apart.
    @DomainActor
    private func check(_ name: String, in room: Room.ID?, except own: Scene.ID? = nil) throws(Failure) {
        if let failure = name.nameError { throw failure }
        guard let room else { return }
        let scenes = store.state().scenes.values.filter { $0.room == room && $0.id != own }
        if let scene = scenes.first(where: { $0.name.lowercased() == name.lowercased() }) {
            throw .sceneExists(scene.id)
        }
    }
}

extension SceneKeeper.Response {
    fileprivate static func failed(_ request: SceneKeeper.Request, _ failure: Failure) -> Self {
        switch request {
        case let .save(name, _): .saving(name, nil, .failed(failure))
        case let .update(scene): .updating(scene, .failed(failure))
        case let .edit(scene, targets, edit): .editing(scene, targets, edit, .failed(failure))
        case let .rename(scene, name): .renaming(scene, name, .failed(failure))
        case let .delete(scene, name): .deleting(scene, name, .failed(failure))
        case let .read(scene): .reading(scene, [], .failed(failure))
        case let .deactivate(scene): .deactivating(scene, .failed(failure))
        case let .reorder(room, ordering): .reordering(room, ordering, .failed(failure))
        }
    }
}

extension AppState {
    /// The room or zone to which a scene of these targets belongs, and the lights that it stores: a room or zone if it is
    /// the only target; otherwise the room that all the lights share, or else the smallest zone.
    func sceneRoom(of targets: [Target]) throws(Failure) -> (Room.ID, [Light.ID]) {
        let lights = try lights(of: targets).map(\.id)
        if case let .room(room)? = targets.first, targets.count == 1 { return (room, lights) }
        let bridges = Set(lights.map(\.bridge))
        guard bridges.count == 1 else { throw .severalBridges(bridges.sorted()) }
        let shared = rooms.values.filter { Set($0.lights).isSuperset(of: lights) }
        let nearest = shared.min { one, other in
            (one.kind == .room ? 0 : 1, one.lights.count, one.id) < (
                other.kind == .room ? 0 : 1, other.lights.count, other.id
            )
        }
        guard let nearest, !lights.isEmpty else { throw .noCommonRoom }
        return (nearest.id, lights)
    }
}
