import HueWire
import Khipu
import Lighting
import Synchronization

/// The domain's commands to rooms, zones, scenes, sensors and names, which the bridge keeps. Each is put into the queue, and
/// answered when the bridge has reported the change, or has not in time.
extension BridgeConnection.Parts {
    /// Creates a room or zone. In API v1 lamps leave their rooms only once the new one exists: if the bridge has no place
    /// for it, nothing is lost.
    mutating func create(
        _ kind: RoomKind, named name: String, of lights: [Light.ID],
        _ reply: @escaping Reply<Result<Room.ID, Failure>>, at now: Duration
    ) {
        let (dialect, type, wanted) = (dialect, kind.type, lights.map(\.resourceID))
        create(
            creating: { mirror in
                let home = mirror.resources
                let housed = dialect == .v1 && type == .room ? home.housed(wanted) : []
                let free = wanted.filter { !housed.contains($0) }
                return .createGroup(type, name: name, members: home.references(to: free, in: type))
            },
            then: { dialect == .v1 ? $0.resources.taking(wanted, into: $1, type) : [] },
            until: { $0.room($1) != nil && $0.shows(wanted, in: $1) },
            { reply($0.map { Room.ID(bridge: $0.0, resource: $0.1.description) }) }, at: now)
    }

    /// Puts lights into a room, which takes them from another, or into a zone.
    mutating func add(_ lights: [Light.ID], to room: Room.ID, _ reply: @escaping Reply<Outcome>, at now: Duration) {
        let (dialect, group, wanted) = (dialect, room.resourceID, lights.map(\.resourceID))
        edit(
            isArranging: true, { $0.resources.adding(wanted, to: group, dialect) },
            until: { $0.shows(wanted, in: group) }, reply, at: now)
    }

    mutating func remove(
        _ lights: [Light.ID], from room: Room.ID, _ reply: @escaping Reply<Outcome>, at now: Duration
    ) {
        let (group, unwanted) = (room.resourceID, lights.map(\.resourceID))
        edit(
            isArranging: true, { $0.resources.removing(unwanted, from: group) },
            until: { Set($0.members(of: group)).isDisjoint(with: unwanted) }, reply, at: now)
    }

    mutating func delete(_ room: Room.ID, _ reply: @escaping Reply<Outcome>, at now: Duration) {
        let group = room.resourceID
        edit({ [.delete($0.resources.type(of: group), group)] }, until: { $0.room(group) == nil }, reply, at: now)
    }

    /// Creates a scene of what lights of a room or zone show. What was asked of them before is sent first.
    mutating func saveScene(
        named name: String, of lights: [Light.ID], in room: Room.ID,
        _ reply: @escaping Reply<Result<Scene.ID, Failure>>, at now: Duration
    ) {
        let (group, stored) = (room.resourceID, lights.map(\.resourceID))
        guard dialect == .v2 || Set(stored) == Set(mirror.resources.members(of: group)) else {
            let words: BridgeWords = "it stores scenes of all lights of a room or zone, not of some"
            return queue.refuse(
                CommandQueue.Caller { reply(.failure($0.failure ?? .noCommonRoom)) },
                .refused(by: room.bridge, words: words))
        }
        let inGroup = hasScenesInGroups
        create(
            touching: stored,
            creating: {
                let reference = ResourceReference(group, $0.resources.type(of: group))
                return .createScene(
                    name: name, group: reference, actions: $0.actions(of: stored), inGroup: inGroup)
            },
            until: { $0.scene($1) != nil },
            { reply($0.map { Scene.ID(bridge: $0.0, resource: $0.1.description) }) }, at: now)
    }

    /// Makes a scene store what its lights show. Nothing reports that, so the bridge's answer counts; only a scene that
    /// had no lights left, and stores those of its room, is reported to have them.
    mutating func update(_ scene: Scene.ID, _ reply: @escaping Reply<Outcome>, at now: Duration) {
        let lights = mirror.resources.lights(ofScene: scene.resourceID)
        edit(
            touching: lights, { [.store(scene: scene.resourceID, actions: $0.actions(of: lights))] },
            until: { $0.scene(scene.resourceID)?.lights.isEmpty == false }, reply, at: now)
    }

    /// Changes what a scene sets on some lights: what it stores is read just before, so that nothing is lost that another
    /// app has stored meanwhile.
    mutating func edit(
        _ scene: Scene.ID, setting states: [DesiredState], removing removed: [Light.ID],
        _ reply: @escaping Reply<Outcome>, at now: Duration
    ) {
        let (id, dialect, unwanted) = (scene.resourceID, dialect, removed.map(\.resourceID))
        let lights = mirror.resources.lights(ofScene: id)
        if dialect == .v1 {
            let keepsLights = removed.isEmpty && Set(lights).isSuperset(of: states.map(\.light.resourceID))
            let objection: Failure? =
                if hasScenesInGroups {
                    .invalid("its bridge stores in a scene only what lights show")
                } else if !keepsLights {
                    .invalid("its bridge has API v1, in which a scene keeps the lights that it was saved with")
                } else {
                    nil
                }
            if let objection { return queue.refuse(CommandQueue.Caller(reply: reply), objection) }
        }
        // Touching them keeps it apart from other commands that store something in this scene.
        edit(
            reading: id, touching: lights,
            { mirror in
                let home = mirror.resources
                let actions = home.actions(ofScene: id, setting: states, removing: unwanted)
                guard dialect == .v1 else { return [.store(scene: id, actions: actions)] }
                let named = Set(states.map(\.light.resourceID))
                return actions.compactMap { action in
                    let light = action.target.rid
                    guard named.contains(light), let update = action.action else { return nil }
                    return .storeLight(scene: id, light: light, update, whites: home.lights[light]?.whites)
                }
            },
            until: { $0.stores(states, without: unwanted, inScene: id) }, reply, at: now)
    }

    mutating func rename(_ target: Target, _ name: String, _ reply: @escaping Reply<Outcome>, at now: Duration) {
        switch target {
        case let .light(light):
            guard let device = mirror.resources.lights[light.resourceID]?.device else {
                return queue.refuse(CommandQueue.Caller(reply: reply), .noSuchTarget(target))
            }
            rename(.device, device, to: name, shown: { $0.lights[light.resourceID]?.name }, reply, at: now)
        case let .room(room):
            let group = room.resourceID
            rename(
                mirror.resources.type(of: group), group, to: name, shown: { $0.groups[group]?.name }, reply, at: now)
        case .all: queue.refuse(CommandQueue.Caller(reply: reply), .invalid("a home cannot be renamed"))
        }
    }

    mutating func rename(
        _ scene: Scene.ID, to name: String, _ reply: @escaping Reply<Outcome>, at now: Duration
    ) {
        let scene = scene.resourceID
        rename(mirror.resources.type(ofScene: scene), scene, to: name, shown: { $0.scene(scene)?.name }, reply, at: now)
    }

    mutating func delete(_ scene: Scene.ID, _ reply: @escaping Reply<Outcome>, at now: Duration) {
        edit(
            { [.delete($0.resources.type(ofScene: scene.resourceID), scene.resourceID)] },
            until: { $0.scene(scene.resourceID) == nil }, reply, at: now)
    }

    /// Ends an active smart scene.
    mutating func deactivate(_ scene: Scene.ID, _ reply: @escaping Reply<Outcome>, at now: Duration) {
        edit(
            { _ in [.activate(scene.resourceID, false)] },
            until: { $0.scene(scene.resourceID)?.smart?.isActive == false }, reply, at: now)
    }

    /// Lets a sensor report again, or no longer.
    mutating func enable(_ sensor: Sensor.ID, _ isEnabled: Bool, _ reply: @escaping Reply<Outcome>, at now: Duration) {
        let device = sensor.resourceID
        edit(
            { mirror in
                let parts = mirror.resources.sensors[device]?.parts(toEnable: isEnabled) ?? []
                return parts.map { .enable($0.type, $0.id, isEnabled) }
            },
            until: { $0.sensors[device]?.parts(toEnable: isEnabled).isEmpty == true }, reply, at: now)
    }

    /// Reads what a scene sets on each of its lights.
    mutating func read(
        _ scene: Scene.ID, _ reply: @escaping Reply<Result<[DesiredState], Failure>>, at now: Duration
    ) {
        let found = BridgeConnection.ResultBox<Result<[DesiredState], Failure>>()
        let caller = CommandQueue.Caller { outcome in
            reply(found.content.withLock { $0 } ?? .failure(outcome.failure ?? .noSuchScene(scene)))
        }
        queue.ask(.read, for: caller, at: now) { connection in
            do throws(Failure) {
                let resources = try await connection.client.fetch(.scene(scene.resourceID))
                guard let resource = resources.lazy.compactMap(\.scene).first else {
                    return .refused("it has no such scene")
                }
                let states = connection.home.states(of: resource)
                found.content.withLock { $0 = .success(states) }
                return .done
            } catch {
                // The bridge has refused nothing if it was not reached.
                found.content.withLock { $0 = .failure(error) }
                return .refused(BridgeWords(error.reason))
            }
        }
    }

    // MARK: - Carrying out

    /// Answered when the home shows the name: of two names within a second, the bridge's late word of the first would
    /// otherwise take the second back for a while.
    private mutating func rename(
        _ type: ResourceType, _ id: ResourceID, to name: String,
        shown: @escaping @Sendable (HomeResources) -> String?, _ reply: @escaping Reply<Outcome>, at now: Duration
    ) {
        edit({ _ in [.rename(type, id, to: name)] }, until: { shown($0) == name }, reply, at: now)
    }

    /// Sends operations one after the other, until one is not accepted, then waits until the home shows their effect.
    ///
    /// - Parameters:
    ///   - isArranging: whether they name all members of groups, which are then read first: a list from before a change
    ///     that the bridge did not report would throw out who has come since.
    ///   - scene: is read first, too; the operations are made of what it stores then.
    private mutating func edit(
        isArranging: Bool = false, reading scene: ResourceID? = nil, touching lights: [ResourceID] = [],
        _ operations: @escaping @Sendable (HomeMirror) -> [Operation],
        until isShown: @escaping @Sendable (HomeResources) -> Bool, _ reply: @escaping Reply<Outcome>,
        at now: Duration
    ) {
        let answer = SingleReply(reply)
        let wasLost = BridgeConnection.ResultBox<Bool>()
        let caller = CommandQueue.Caller(lights: lights, isDecided: true) { if $0 != .succeeded { answer.give($0) } }
        queue.ask(.other, writing: operations, for: caller, at: now) { connection in
            if isArranging, let trouble = await connection.confirmArrangement() { return trouble }
            var mirror = connection.parts.withLock(\.mirror)
            if let scene {
                switch await connection.client.fetchOnce(.scene(scene)) {
                case let .success(resources):
                    guard let read = resources.lazy.compactMap(\.scene).first else {
                        return .refused("it has no such scene")
                    }
                    mirror.take(read)
                case let .failure(trouble): return trouble.delivery.ofNothingSent
                }
            }
            let operations = operations(mirror)
            if let objection = operations.lazy.compactMap(\.objection).first { return .refused(objection) }
            var delivery = await connection.write(operations)
            if delivery == .unknown { wasLost.content.withLock { $0 = true } }
            // What was deleted by a request whose answer was lost is not there for the next one.
            if case .refused = delivery, operations.allSatisfy(\.isDeletion), wasLost.content.withLock({ $0 }) == true {
                delivery = .done
            }
            if delivery == .done { connection.wait(until: isShown) { answer.give($0) } }
            return delivery
        }
    }

    /// Creates something once, sends the operations that follow from its id, then waits until the home shows it.
    private mutating func create(
        touching lights: [ResourceID] = [],
        creating operation: @escaping @Sendable (HomeMirror) -> Operation,
        then others: @escaping @Sendable (HomeMirror, ResourceID) -> [Operation] = { _, _ in [] },
        until isShown: @escaping @Sendable (HomeResources, ResourceID) -> Bool,
        _ reply: @escaping Reply<Result<(Bridge.ID, ResourceID), Failure>>, at now: Duration
    ) {
        let answer = SingleReply(reply)
        let created = BridgeConnection.ResultBox<ResourceID>()
        let caller = CommandQueue.Caller(lights: lights, isDecided: true) {
            if let failure = $0.failure { answer.give(.failure(failure)) }
        }
        queue.ask(
            .other, writing: { [operation($0)] + others($0, Self.newID) }, for: caller, at: now
        ) { connection in
            // If what follows had to wait for a busy bridge, it exists already.
            if created.content.withLock({ $0 }) == nil {
                if connection.client.dialect == .v1, let trouble = await connection.confirmArrangement() {
                    return trouble
                }
                let (delivery, id) = await connection.client.create(
                    operation(connection.parts.withLock(\.mirror)))
                guard let id else { return delivery }
                created.content.withLock { $0 = id }
            }
            guard let id = created.content.withLock({ $0 }) else { return .unknown }
            let delivery = await connection.write(others(connection.parts.withLock(\.mirror), id), isBegun: true)
            if delivery == .done {
                connection.wait {
                    isShown($0, id)
                } _: {
                    answer.give($0.failure.map { .failure($0) } ?? .success((connection.id, id)))
                }
            }
            return delivery
        }
    }

    /// Stands for the id that a bridge has yet to give, in what would be sent.
    static let newID = ResourceID("NEW")
}

extension BridgeConnection {
    /// - Parameter isBegun: whether the bridge has carried out something before these: none of it is undone then.
    fileprivate func write(_ operations: [Operation], isBegun: Bool = false) async -> Delivery {
        for (place, operation) in operations.enumerated() {
            let delivery = await client.write(operation)
            guard delivery == .done else { return isBegun || place > 0 ? delivery.afterOthers : delivery }
        }
        signalWrite(isAnswered: true)
        return .done
    }

    /// Answers when the bridge has reported it. If it is slow to, or reports nothing by itself, everything is read.
    fileprivate func wait(
        until isShown: @escaping @Sendable (HomeResources) -> Bool, _ reply: @escaping Reply<Outcome>
    ) {
        change { parts, now in
            parts.reports.wait(
                until: isShown, readAt: parts.isPolled ? now : now + AwaitedReports.patience,
                deadline: now + Freshness.confirmationTimeout, reply)
        }
    }
}

extension Delivery {
    /// What it means for a command of which a part was carried out already.
    fileprivate var afterOthers: Self {
        switch self {
        case .busy, .unsent: .unknown
        default: self
        }
    }
}

/// Replies once, with what comes first: a caller that was told that its command takes long is not told again.
private final class SingleReply<Answer: Sendable>: Sendable {
    private let reply: Mutex<Reply<Answer>?>

    init(_ reply: @escaping Reply<Answer>) { self.reply = Mutex(reply) }

    func give(_ answer: Answer) {
        let reply = reply.withLock { reply in
            defer { reply = nil }
            return reply
        }
        reply?(answer)
    }
}

extension HomeResources {
    /// What moves lights into a room or zone that has members already.
    fileprivate func adding(_ lights: [ResourceID], to group: ResourceID, _ dialect: Dialect) -> [Operation] {
        guard let known = groups[group] else { return [] }
        let type = type(of: group)
        let new = references(to: lights, in: type).filter { !known.holds($0) }
        guard !new.isEmpty else { return [] }
        let leaving = dialect == .v1 && type == .room ? leaving(lights, except: group) : []
        return leaving + [.arrange(type, group, members: known.children + new)]
    }

    /// What moves lights into a room that API v1 has just created without those of other rooms.
    fileprivate func taking(_ lights: [ResourceID], into group: ResourceID, _ type: ResourceType) -> [Operation] {
        guard type == .room else { return [] }
        let leaving = leaving(lights, except: group)
        return leaving.isEmpty ? [] : leaving + [.arrange(type, group, members: references(to: lights, in: type))]
    }

    fileprivate func removing(_ lights: [ResourceID], from group: ResourceID) -> [Operation] {
        guard let known = groups[group] else { return [] }
        let gone = Set(lights + lights.compactMap { self.lights[$0]?.device })
        return [.arrange(type(of: group), group, members: known.children.filter { !gone.contains($0.rid) })]
    }

    /// Whether a group has these lights and, if it is a room, no other room still has them.
    fileprivate func shows(_ lights: [ResourceID], in group: ResourceID) -> Bool {
        Set(members(of: group)).isSuperset(of: lights)
            && (type(of: group) == .zone || leaving(lights, except: group).isEmpty)
    }

    /// The lights that are in a room.
    fileprivate func housed(_ lights: [ResourceID]) -> Set<ResourceID> {
        let rooms = groups.filter { $0.value.kind == .room }.keys
        return Set(rooms.flatMap { members(of: $0) }).intersection(lights)
    }

    /// What takes lights out of their rooms: API v1 refuses a light that is in another one (error 306).
    private func leaving(_ lights: [ResourceID], except group: ResourceID) -> [Operation] {
        groupOrder.filter { groups[$0]?.kind == .room && $0 != group }.flatMap { room in
            Set(members(of: room)).isDisjoint(with: lights) ? [] : removing(lights, from: room)
        }
    }

    /// The members of a group that stand for lights: a room's are devices, a zone's are lights.
    fileprivate func references(to lights: [ResourceID], in type: ResourceType) -> [ResourceReference] {
        var references: [ResourceReference] = []
        for light in lights {
            let device = self.lights[light]?.device.map { ResourceReference($0, .device) }
            let reference = type == .room ? device : ResourceReference(light, .light)
            if let reference, !references.contains(reference) { references.append(reference) }
        }
        return references
    }

    fileprivate func type(of group: ResourceID) -> ResourceType { isZone(group) ? .zone : .room }

    /// What a scene sets on those of its lights that are known.
    fileprivate func states(of scene: SceneResource) -> [DesiredState] {
        (scene.actions ?? []).compactMap { action in
            lights[action.target.rid].map { DesiredState(Light.ID(bridge, $0.id), of: $0, action.action) }
        }
    }
}

extension HomeResources.Group {
    /// In API v1 a light and its device have the same id.
    fileprivate func holds(_ member: ResourceReference) -> Bool { children.contains { $0.rid == member.rid } }
}

extension Operation {
    fileprivate var isDeletion: Bool { if case .delete = self { true } else { false } }
}

extension RoomKind {
    fileprivate var type: ResourceType { self == .room ? .room : .zone }
}

extension Resource {
    fileprivate var scene: SceneResource? { if case let .scene(scene) = self { scene } else { nil } }
}
