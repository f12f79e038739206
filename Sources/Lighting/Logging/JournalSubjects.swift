import HashTreeCollections
import Khipu

extension Journal.Entry {
    /// Whether the filter lets the entry through. Its limit is up to the journal.
    public func matches(_ filter: Journal.Filter) -> Bool {
        (filter.since.map { time >= $0 } ?? true) && (filter.until.map { time < $0 } ?? true)
            && (filter.after.map { number > $0 } ?? true) && (filter.before.map { number < $0 } ?? true)
            && (filter.feature.map { message.feature == $0 } ?? true)
            && (filter.cause.map(message.causes.contains) ?? true)
            && (filter.by.map { message.isFrom($0) || names.hasSensor(called: $0) } ?? true)
            && (filter.subject.map(message.isAbout) ?? true)
    }
}

extension Message {
    /// What caused what it says; empty for what has no cause that a light could have.
    fileprivate var causes: Set<Cause.Name> {
        guard ticket.isUnasked else {
            return switch self {
            case .lighting(.recall, _), .lighting(.recalling, _): [.command, .scene]
            default: [.command]
            }
        }
        return switch self {
        case let .lighting(.reported(.light(_, report)), _): report.source.map { [$0.name] } ?? []
        case .lighting(.reread, _): [.unseen]
        default: []
        }
    }

    /// Whether its sender, or the switch or command that caused it, has this in its name.
    fileprivate func isFrom(_ name: String) -> Bool {
        var names = [ticket.holder]
        if case let .lighting(.reported(.light(_, report)), _) = self, let source = report.source {
            if case let .accessory(name) = source { names.append(name) }
            if let ticket = source.ticket { names.append(ticket.holder) }
        }
        let wanted = name.lowercased()
        return names.contains { $0.lowercased().utf8.contains(wanted.utf8) }
    }

    fileprivate func isAbout(_ subject: Journal.Subject) -> Bool { things.contains(where: subject.contains) }
}

extension Journal.Subject {
    fileprivate func contains(_ thing: Journal.Thing) -> Bool {
        switch thing {
        case let .target(.light(id)): lights.contains(id)
        case let .target(.room(id)): rooms.contains(id)
        case .target(.all): true
        case let .scene(id): scenes.contains(id)
        case let .sensor(id): sensors.contains(id)
        }
    }
}

// MARK: What messages are about

extension Journal {
    /// What a message may be about.
    enum Thing: Hashable {
        case target(Target)
        case scene(Scene.ID)
        case sensor(Sensor.ID)
    }
}

extension Message {
    /// What it is about.
    var things: [Journal.Thing] {
        switch self {
        case let .lighting(message, _): message.things
        case let .dashboard(message, _): message.targets.map { .target($0) }
        case let .rooms(message, _): message.things
        case let .scenes(message, _): message.things
        case let .switches(message, _): message.things
        case let .following(message, _): message.things
        case let .presence(.planned(uses), _): uses.map { .target(.light($0.light)) }
        case .logging, .bridges, .automations, .presence: []
        }
    }
}

extension Message.Lighting {
    fileprivate var things: [Journal.Thing] {
        switch self {
        case let .turn(_, target, _), let .turning(_, target, _), let .toggle(target, _), let .toggling(target, _, _),
            let .apply(_, target, _), let .applying(_, target, _), let .change(_, target), let .changing(_, target, _),
            let .increase(_, _, target, _), let .increasing(_, _, target, _), let .decrease(_, _, target, _),
            let .decreasing(_, _, target, _), let .identify(target), let .identifying(target, _),
            let .signal(_, target), let .signaling(_, target, _):
            [.target(target)]
        case let .recall(scene, _, _), let .recalling(scene, _): [.scene(scene)]
        case let .restore(states, _), let .follow(states, _): states.map { .target(.light($0.light)) }
        case let .restoring(lights, _): lights.map { .target(.light($0)) }
        case let .undoing(reversal, _), let .redoing(reversal, _):
            (reversal.lights + reversal.skipped.map(\.light)).map { .target(.light($0)) }
        case let .settled(.failed(.partly(parts, of: _))): parts.map { .target($0.target) }
        case let .reported(update): update.things
        case let .reread(difference): difference.changed + difference.gone
        case .load, .loading, .undo, .redo, .following, .settled: []
        }
    }
}

extension BridgeUpdate {
    fileprivate var things: [Journal.Thing] {
        switch self {
        case let .home(_, lights, rooms, scenes, sensors):
            lights.map { .target(.light($0.id)) } + rooms.map { .target(.room($0.id)) } + scenes.map { .scene($0.id) }
                + sensors.map { .sensor($0.id) }
        case let .light(id, _), let .signal(id, _), let .removed(.light(id)): [.target(.light(id))]
        case let .sensor(id, _), let .removed(.sensor(id)): [.sensor(id)]
        case let .added(.sensor(sensor)), let .changed(.sensor(sensor)): [.sensor(sensor.id)]
        case let .added(.light(light)): [.target(.light(light.id))]
        case let .renamed(target, _): [.target(target)]
        case let .added(.room(room)), let .changed(.room(room)): [.target(.room(room.id))]
        case let .removed(.room(id)): [.target(.room(id))]
        case let .added(.scene(scene)), let .changed(.scene(scene)): [.scene(scene.id)]
        case let .removed(.scene(id)): [.scene(id)]
        case .firmware: []
        }
    }
}

extension HomeDifference {
    fileprivate var changed: [Journal.Thing] {
        lights.changed.map { .target(.light($0.id)) } + rooms.changed.map { .target(.room($0.id)) }
            + scenes.changed.map { .scene($0.id) } + sensors.changed.map { .sensor($0.id) }
    }

    var gone: [Journal.Thing] {
        lights.gone.map { .target(.light($0)) } + rooms.gone.map { .target(.room($0)) } + scenes.gone.map { .scene($0) }
            + sensors.gone.map { .sensor($0) }
    }
}

extension Message.Switches {
    fileprivate var things: [Journal.Thing] {
        switch self {
        case let .bind(binding), let .binding(binding, _), let .missed(binding, _):
            [.sensor(binding.id), .target(binding.target)] + (binding.scenes ?? []).map { .scene($0) }
        case let .unbind(id), let .unbinding(id, _), let .enable(id, _), let .enabling(id, _, _): [.sensor(id)]
        }
    }
}

extension Message.Rooms {
    fileprivate var things: [Journal.Thing] {
        switch self {
        case let .create(_, _, targets, on: _): targets.map { .target($0) }
        case let .creating(_, _, room, _, _): room.map { [.target(.room($0))] } ?? []
        case let .add(targets, to: room), let .adding(targets, to: room, _, _), let .remove(targets, from: room),
            let .removing(targets, from: room, _):
            [.target(.room(room))] + targets.map { .target($0) }
        case let .delete(room, _), let .deleting(room, _, _): [.target(.room(room))]
        }
    }
}

extension Message.Scenes {
    fileprivate var things: [Journal.Thing] {
        switch self {
        case let .save(_, of: targets): targets.map { .target($0) }
        case let .saving(_, scene, _): scene.map { [.scene($0)] } ?? []
        case let .update(scene), let .updating(scene, _), let .edit(scene, _, _), let .editing(scene, _, _, _),
            let .rename(scene, _), let .renaming(scene, _, _),
            let .delete(scene, _), let .deleting(scene, _, _), let .read(scene), let .reading(scene, _, _),
            let .deactivate(scene), let .deactivating(scene, _):
            [.scene(scene)]
        case let .reorder(scenesOf: room, by: ordering), let .reordering(scenesOf: room, by: ordering, _):
            [.target(.room(room))] + ordering.named.map { .scene($0) }
        }
    }
}

extension Message.Following {
    fileprivate var things: [Journal.Thing] {
        switch self {
        case let .follow(_, on: target, _, _, _), let .following(_, on: target, _), let .unfollow(target, _),
            let .unfollowing(target, _), let .resume(target), let .resuming(target, _), let .ended(_, on: target):
            [.target(target)]
        case let .paused(lights, _, _), let .resumed(lights): lights.map { .target(.light($0)) }
        case .draw, .drawing: []
        }
    }
}

extension Message.Dashboard {
    fileprivate var targets: [Target] {
        switch self {
        case .show, .showing: []
        case let .exclude(lights, _), let .excluding(lights, _, _), let .include(lights, _),
            let .including(lights, _, _):
            lights.map { .light($0) }
        case let .pin(target), let .pinning(target, _), let .unpin(target), let .unpinning(target, _),
            let .move(target, _), let .moving(target, _, _), let .toggle(_, target), let .toggling(_, target, _):
            [target]
        }
    }
}

extension Journal {
    /// What lights, rooms, scenes and sensors were called when a message about them was recorded. Later they may have other names,
    /// or be gone.
    public struct Names: Equatable, Codable, Sendable {
        // By the texts of ids, so that JSON makes objects of them; nil if empty, so that it leaves them out.
        private var lights: [String: String]?
        private var rooms: [String: String]?
        private var scenes: [String: String]?
        private var sensors: [String: String]?

        public init() {}

        /// The names of what the message's words name; what has none in this state is left out.
        public init(of message: Message, in state: AppState) {
            var (lights, rooms): ([String: String], [String: String]) = ([:], [:])
            var (scenes, sensors): ([String: String], [String: String]) = ([:], [:])
            for thing in message.named + (message.outcome?.failure?.named ?? []) {
                switch thing {
                case let .target(.light(id)): lights[id.description] = state.name(of: id)
                case let .target(.room(id)): rooms[id.description] = state.rooms[id]?.name
                case let .scene(id): scenes[id.description] = state.scenes[id].map { state.name(of: $0) }
                case let .sensor(id): sensors[id.description] = state.sensors[id]?.name
                case .target(.all): break
                }
            }
            if !lights.isEmpty { self.lights = lights }
            if !rooms.isEmpty { self.rooms = rooms }
            if !scenes.isEmpty { self.scenes = scenes }
            if !sensors.isEmpty { self.sensors = sensors }
        }

        public var isEmpty: Bool { self == Self() }

        public func name(of light: Light.ID) -> String? { lights?[light.description] }
        public func name(of room: Room.ID) -> String? { rooms?[room.description] }
        public func name(of sensor: Sensor.ID) -> String? { sensors?[sensor.description] }

        /// Whether a sensor has this in its name; case is ignored.
        func hasSensor(called name: String) -> Bool {
            let wanted = name.lowercased()
            return sensors?.values.contains { $0.lowercased().utf8.contains(wanted.utf8) } ?? false
        }
        /// With its room: "Kitchen/Relax".
        public func name(of scene: Scene.ID) -> String? { scenes?[scene.description] }
    }
}

extension AppState {
    /// Also of a light that has not been read since lightd started; `nil` if it is gone.
    public func name(of light: Light.ID) -> String? { (lights[light] ?? unreadLights[light])?.name }

    /// "Kitchen/Relax": many rooms have scenes of the same name.
    public func name(of scene: Scene) -> String {
        (scene.room.flatMap { rooms[$0] }.map { "\($0.name)/" } ?? "") + scene.name
    }
}

extension Message {
    /// What its words name by an id. They only count some of what it is about, or have the name in the message.
    fileprivate var named: [Journal.Thing] {
        switch self {
        case .lighting(.restore, _), .lighting(.restoring, _), .lighting(.follow, _), .presence: []
        case let .lighting(.undoing(reversal, _), _), let .lighting(.redoing(reversal, _), _):
            reversal.skipped.map { .target(.light($0.light)) }
        case let .lighting(.reread(difference), _): difference.gone
        case let .lighting(.reported(.light(_, report)), _):
            if case let .scene(scene, _) = report.source { things + [.scene(scene)] } else { things }
        case let .rooms(.creating(_, _, _, _, leaving), _), let .rooms(.adding(_, _, _, leaving), _):
            things + (leaving ?? []).flatMap { [.target(.light($0.light)), .target(.room($0.room))] }
        default: things
        }
    }
}

extension Failure {
    /// What its words name by an id, of what a home can lose.
    fileprivate var named: [Journal.Thing] {
        switch self {
        case let .partly(parts, of: _): parts.flatMap { [.target($0.target)] + $0.failure.named }
        case let .roomExists(id): [.target(.room(id))]
        case let .sceneExists(id), let .noSuchScene(id): [.scene(id)]
        case let .notPinned(target), let .noLights(in: target): [.target(target)]
        case let .noSuchSensor(id), let .notBound(id): [.sensor(id)]
        default: []
        }
    }
}
