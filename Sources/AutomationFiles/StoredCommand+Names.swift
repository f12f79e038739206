import CommandGrammar
import ControlProtocol
import FoundationEssentials
public import Lighting

extension StoredCommand {
    /// The same command with other names in the place of its own, also in the words in which it was typed.
    public func replacingNames(by name: (NameUse) -> String) -> Self {
        guard let command = try? JSONDecoder().decode(Command.self, from: Data(json.utf8)) else { return self }
        var replacements: [String: String] = [:]
        let renamed = command.replacingNames { role, text in
            let new = name(NameUse(role, text))
            if new != text { replacements[text] = new }
            return new
        }
        guard renamed != command else { return self }
        return StoredCommand(renamed, typed: Typed.line(text, replacing: replacements, toMean: renamed))
    }
}

extension Command {
    /// With other names of what it is about. What cannot be a step of an automation has none.
    fileprivate func replacingNames(by name: (NameUse.Role, String) -> String) -> Self {
        func lights(_ text: String) -> String { name(.lights, text) }
        switch self {
        case let .turn(to: power, target: target, over: over):
            return .turn(to: power, target: lights(target), over: over)
        case let .toggle(target: target, over: over): return .toggle(target: lights(target), over: over)
        case let .set(values, target: target, over: over): return .set(values, target: lights(target), over: over)
        case let .increase(value, by: points, target: target, over: over, how):
            return .increase(value, by: points, target: lights(target), over: over, how)
        case let .decrease(value, by: points, target: target, over: over, how):
            return .decrease(value, by: points, target: lights(target), over: over, how)
        case let .rename(target: target, name: new): return .rename(target: lights(target), name: new)
        case let .recall(scene: scene, over: over): return .recall(scene: name(.scene, scene), over: over)
        case let .powerup(target: target, preset: preset): return .powerup(target: lights(target), preset: preset)
        case let .identify(target: target): return .identify(target: lights(target))
        case let .follow(target: target, curve: curve, only: only, until: until, resumeAfter: seconds):
            return .follow(target: lights(target), curve: curve, only: only, until: until, resumeAfter: seconds)
        case let .unfollow(target: target): return .unfollow(target: lights(target))
        case let .resume(target: target): return .resume(target: lights(target))
        case let .wake(target: target, over: over): return .wake(target: lights(target), over: over)
        case let .sleep(target: target, over: over): return .sleep(target: lights(target), over: over)
        case let .createRoom(name: new, targets: targets, kind: kind, bridge: bridge):
            return .createRoom(
                name: new, targets: targets.map(lights), kind: kind, bridge: bridge.map { name(.bridge, $0) })
        case let .addToRoom(room: room, targets: targets, kind: kind):
            return .addToRoom(room: name(.room, room), targets: targets.map(lights), kind: kind)
        case let .removeFromRoom(room: room, targets: targets, kind: kind):
            return .removeFromRoom(room: name(.room, room), targets: targets.map(lights), kind: kind)
        case let .renameRoom(room: room, name: new, kind: kind):
            return .renameRoom(room: name(.room, room), name: new, kind: kind)
        case let .deleteRoom(room: room, kind: kind): return .deleteRoom(room: name(.room, room), kind: kind)
        case let .saveScene(name: new, targets: targets): return .saveScene(name: new, targets: targets.map(lights))
        case let .updateScene(scene: scene): return .updateScene(scene: name(.scene, scene))
        case let .renameScene(scene: scene, name: new): return .renameScene(scene: name(.scene, scene), name: new)
        case let .deleteScene(scene: scene): return .deleteScene(scene: name(.scene, scene))
        case .undo, .redo, .setCurve, .removeCurve: return self
        case .apply, .schedule, .cancelTimer, .enableAutomation, .disableAutomation, .runAutomation, .stopAutomation,
            .removeAutomation, .load, .discover, .pair, .forget, .show, .pin, .unpin, .move, .display, .bind, .unbind,
            .prune, .away:
            return self
        }
    }
}
