import Khipu

extension Journal.Entry {
    /// Whether the filter lets the entry through. Its limit is up to the journal.
    public func matches(_ filter: Journal.Filter) -> Bool {
        (filter.since.map { time >= $0 } ?? true) && (filter.until.map { time < $0 } ?? true)
            && (filter.after.map { number > $0 } ?? true) && (filter.feature.map { message.feature == $0 } ?? true)
            && (filter.cause.map(message.causes.contains) ?? true)
            && (filter.by.map(message.isFrom) ?? true)
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
            if case let .wall(name) = source { names.append(name) }
            if let ticket = source.ticket { names.append(ticket.holder) }
        }
        let wanted = name.lowercased()
        return names.contains { $0.lowercased().contains(wanted) }
    }

    fileprivate func isAbout(_ subject: Journal.Subject) -> Bool {
        switch self {
        case let .lighting(message, _): message.isAbout(subject)
        case let .dashboard(message, _): message.target.map(subject.contains) ?? false
        case let .rooms(message, _): message.isAbout(subject)
        case let .scenes(message, _): message.isAbout(subject)
        case .logging, .bridges: false
        }
    }
}

extension Journal.Subject {
    fileprivate func contains(_ target: Target) -> Bool {
        switch target {
        case let .light(id): lights.contains(id)
        case let .room(id): rooms.contains(id)
        case .all: true
        }
    }
}

extension Message.Lighting {
    fileprivate func isAbout(_ subject: Journal.Subject) -> Bool {
        switch self {
        case let .turn(_, target, _), let .turning(_, target, _), let .toggle(target, _), let .toggling(target, _, _),
            let .apply(_, target, _), let .applying(_, target, _), let .change(_, target), let .changing(_, target, _),
            let .increase(_, _, target, _), let .increasing(_, _, target, _), let .decrease(_, _, target, _),
            let .decreasing(_, _, target, _), let .identify(target), let .identifying(target, _):
            subject.contains(target)
        case let .recall(scene, _), let .recalling(scene, _): subject.scenes.contains(scene)
        case let .restore(states, _): states.contains { subject.lights.contains($0.light) }
        case let .restoring(lights, _): !subject.lights.isDisjoint(with: lights)
        case let .undoing(reversal, _), let .redoing(reversal, _):
            !subject.lights.isDisjoint(with: reversal.lights + reversal.skipped.map(\.light))
        case let .settled(.failed(.partly(parts, of: _))): parts.contains { subject.contains($0.target) }
        case let .reported(update): update.isAbout(subject)
        case let .reread(difference):
            !subject.lights.isDisjoint(with: difference.lights.changed.map(\.id) + difference.lights.gone)
                || !subject.rooms.isDisjoint(with: difference.rooms.changed.map(\.id) + difference.rooms.gone)
                || !subject.scenes.isDisjoint(with: difference.scenes.changed.map(\.id) + difference.scenes.gone)
        case .load, .loading, .undo, .redo, .settled: false
        }
    }
}

extension BridgeUpdate {
    fileprivate func isAbout(_ subject: Journal.Subject) -> Bool {
        switch self {
        case let .home(_, lights, rooms, scenes):
            !subject.lights.isDisjoint(with: lights.map(\.id)) || !subject.rooms.isDisjoint(with: rooms.map(\.id))
                || !subject.scenes.isDisjoint(with: scenes.map(\.id))
        case let .light(id, _), let .removed(.light(id)): subject.lights.contains(id)
        case let .added(.light(light)): subject.lights.contains(light.id)
        case let .renamed(target, _): subject.contains(target)
        case let .added(.room(room)), let .changed(.room(room)): subject.rooms.contains(room.id)
        case let .removed(.room(id)): subject.rooms.contains(id)
        case let .added(.scene(scene)), let .changed(.scene(scene)): subject.scenes.contains(scene.id)
        case let .removed(.scene(id)): subject.scenes.contains(id)
        }
    }
}

extension Message.Rooms {
    fileprivate func isAbout(_ subject: Journal.Subject) -> Bool {
        switch self {
        case let .create(_, _, targets, on: _): targets.contains(where: subject.contains)
        case let .creating(_, _, room, _, _): room.map(subject.rooms.contains) ?? false
        case let .add(targets, to: room), let .adding(targets, to: room, _, _), let .remove(targets, from: room),
            let .removing(targets, from: room, _):
            subject.rooms.contains(room) || targets.contains(where: subject.contains)
        case let .delete(room, _), let .deleting(room, _, _): subject.rooms.contains(room)
        }
    }
}

extension Message.Scenes {
    fileprivate func isAbout(_ subject: Journal.Subject) -> Bool {
        switch self {
        case let .save(_, of: targets): targets.contains(where: subject.contains)
        case let .saving(_, scene, _): scene.map(subject.scenes.contains) ?? false
        case let .update(scene), let .updating(scene, _), let .rename(scene, _), let .renaming(scene, _, _),
            let .delete(scene, _), let .deleting(scene, _, _), let .read(scene), let .reading(scene, _, _):
            subject.scenes.contains(scene)
        }
    }
}

extension Message.Dashboard {
    fileprivate var target: Target? {
        switch self {
        case .show, .showing: nil
        case let .pin(target), let .pinning(target, _), let .unpin(target), let .unpinning(target, _),
            let .move(target, _), let .moving(target, _, _), let .toggle(_, target), let .toggling(_, target, _):
            target
        }
    }
}
