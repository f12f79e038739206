import Khipu
import Lighting

/// The journal in a person's words: a command and its answer read alike, so that the eye finds the two; what failed says why.
extension Message {
    func words(in home: Directory) -> String {
        let text =
            switch self {
            case let .lighting(message, _): message.words(in: home)
            case let .bridges(message, _): message.words(in: home)
            case let .dashboard(message, _): message.words(in: home)
            case let .logging(message, _): message.words
            }
        // One line, whatever a bridge put into its words.
        return (outcome?.failure.map { "\(text): \($0)" } ?? text).split(whereSeparator: \.isNewline)
            .joined(separator: " ")
    }
}

extension Message.Lighting {
    func words(in home: Directory) -> String {
        switch self {
        case .load, .loading: "load lights"
        case let .turn(turn, target, over: time): "turn \(home.name(of: target)) \(turn.rawValue)\(time.words)"
        case let .turning(turn, target, _): "turn \(home.name(of: target)) \(turn.rawValue)"
        case let .toggle(target, over: time): "toggle \(home.name(of: target))\(time.words)"
        case let .toggling(target, to: turn, _): "toggle \(home.name(of: target)) to \(turn.rawValue)"
        case let .apply(.values(setting), on: target, over: time):
            "set \(home.name(of: target)) to \(setting.words)\(time.words)"
        case let .applying(.values(setting), on: target, _): "set \(home.name(of: target)) to \(setting.words)"
        case let .change(.powerup(powerup), on: target), let .changing(.powerup(powerup), on: target, _):
            "let \(home.name(of: target)) come back from a power cut as '\(powerup.rawValue)'"
        case let .change(.name(name), on: target), let .changing(.name(name), on: target, _):
            "rename \(home.name(of: target)) to '\(name)'"
        case let .increase(value, by: .pt(points), on: target, over: time):
            "increase \(value.rawValue) of \(home.name(of: target)) by \(points.short)\(time.words)"
        case let .increasing(value, by: .pt(points), on: target, _):
            "increase \(value.rawValue) of \(home.name(of: target)) by \(points.short)"
        case let .decrease(value, by: .pt(points), on: target, over: time):
            "decrease \(value.rawValue) of \(home.name(of: target)) by \(points.short)\(time.words)"
        case let .decreasing(value, by: .pt(points), on: target, _):
            "decrease \(value.rawValue) of \(home.name(of: target)) by \(points.short)"
        case let .recall(scene, over: time): "recall \(home.name(of: scene))\(time.words)"
        case let .recalling(scene, _): "recall \(home.name(of: scene))"
        case let .reported(update): update.words(in: home)
        case let .undo(count, over: time): "undo \(counted(count))\(time.words)"
        case let .undoing(reversal, _): "undo \(reversal.words(in: home))"
        case let .redo(count, over: time): "redo \(counted(count))\(time.words)"
        case let .redoing(reversal, _): "redo \(reversal.words(in: home))"
        case let .settled(outcome):
            outcome.failure.map { "gave up what was wished: \($0)" } ?? "all that was wished is so"
        }
    }
}

private func counted(_ commands: Int) -> String { "\(commands) command\(commands == 1 ? "" : "s")" }

extension Reversal {
    fileprivate func words(in home: Directory) -> String {
        let left = skipped.map { home.text(naming: .light($0.light)) }
        return "\(counted(steps)), \(lights.count) lights"
            + (left.isEmpty ? "" : "; left as they are: \(left.joined(separator: ", "))")
    }
}

extension Message.Bridges {
    fileprivate func words(in home: Directory) -> String {
        switch self {
        case let .discover(for: time): "look for bridges for \(time)"
        case let .discovering(found, _): "look for bridges: \(found.count { $0.id != nil }) found"
        case let .pair(bridge, waiting: time):
            "pair with \(bridge.map { home.name(of: $0) } ?? "the bridge in reach"), waiting \(time)"
        case let .pairing(bridge, _): "pair with \(bridge.map { home.name(of: $0) } ?? "the bridge in reach")"
        case let .forget(bridge), let .forgetting(bridge, _): "forget \(home.name(of: bridge))"
        case let .joined(bridge): "'\(bridge.name)' (\(bridge.id)) is ours, at \(bridge.address)"
        case let .connected(bridge, by: _): "\(home.name(of: bridge)) is connected"
        case let .lost(bridge, because: failure): "\(home.name(of: bridge)) is lost: \(failure.reasonAndRemedy)"
        case let .seen(bridge, at: address, name: name, model: model):
            "bridge \(bridge) is seen at \(address) as '\(name)', \(model)"
        }
    }
}

extension Message.Dashboard {
    fileprivate func words(in home: Directory) -> String {
        switch self {
        case let .pin(target), let .pinning(target, _): "pin \(home.name(of: target))"
        case let .unpin(target), let .unpinning(target, _): "unpin \(home.name(of: target))"
        case let .move(target, to: place), let .moving(target, to: place, _):
            "move \(home.name(of: target)) to place \(place + 1)"
        case let .toggle(.display(to: display), of: target), let .toggling(.display(to: display), of: target, _):
            "show \(home.name(of: target)) by \(display.rawValue)"
        }
    }
}

extension Message.Logging {
    fileprivate var words: String {
        switch self {
        case let .write(level, text): level == .info ? text : "\(level.rawValue): \(text)"
        case let .writing(level, _): "write a line of level \(level.rawValue)"
        case .list, .listing: "list the log"
        case let .prune(olderThan: time), let .pruning(olderThan: time, _):
            "prune the log of what is older than \(time.iso8601)"
        }
    }
}

extension BridgeUpdate {
    fileprivate func words(in home: Directory) -> String {
        switch self {
        case let .home(_, lights: lights, rooms: rooms, scenes: scenes):
            "told of \(lights.count) lights, \(rooms.count) rooms and zones, \(scenes.count) scenes"
        case let .light(id, report): "\(home.name(of: .light(id))) is \(report.words)"
        case let .renamed(target, to: name): "\(home.name(of: target)) is called '\(name)'"
        case let .added(.light(light)): "there is a new light, '\(light.name)'"
        case let .added(.room(room)): "there is a new \(room.kind.rawValue), '\(room.name)'"
        case let .added(.scene(scene)): "there is a new scene, '\(scene.name)'"
        case let .removed(.light(id)): "\(home.name(of: .light(id))) is gone"
        case let .removed(.room(id)): "\(home.name(of: .room(id))) is gone"
        case let .removed(.scene(id)): "\(home.name(of: id)) is gone"
        }
    }
}

extension Light.Report {
    fileprivate var words: String {
        let parts = [
            reachable.map { $0 ? "in reach" : "out of reach" },
            power?.rawValue,
            brightness.map { "\(($0 * 100).short) %" },
            mode == .ct ? nil : hue.map { "hue \(($0 * 360).short)°" },
            mode == .ct ? nil : saturation.map { "saturation \(($0 * 100).short) %" },
            mode == .hsb ? nil : temperature.map { "\($0.value) mirek" },
        ].compactMap { $0 }
        return parts.isEmpty ? "heard of" : parts.joined(separator: ", ")
    }
}

extension Light.Setting {
    fileprivate var words: String {
        let level = brightness.map { "\(($0 * 100).short) %" }
        let parts: [String?] =
            switch self {
            case .bri: [level]
            case let .ct(mirek, _): ["\(mirek.value) mirek", level]
            case let .hsb(hue, saturation, _):
                [
                    hue.map { "hue \(($0 * 360).short)°" }, saturation.map { "saturation \(($0 * 100).short) %" },
                    level,
                ]
            }
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}

extension Transition {
    /// " over 2 s"; nothing where the time was left to the bridge.
    fileprivate var words: String {
        switch self {
        case .usual: ""
        case let .milliseconds(count): " over \((Double(count) / 1000).short) s"
        }
    }
}

extension Directory {
    func name(of scene: Scene.ID) -> String {
        guard let scene = self.scene(scene) else { return "scene \(scene)" }
        return (roomName(of: scene).map { "@\($0)/" } ?? "") + scene.name
    }

    fileprivate func name(of bridge: Bridge.ID) -> String {
        self.bridge(bridge).map { "bridge '\($0.name)'" } ?? "bridge \(bridge)"
    }
}

extension Double {
    /// To a tenth, without a needless ".0".
    fileprivate var short: String {
        let rounded = (self * 10).rounded() / 10
        return Int(exactly: rounded).map(String.init) ?? String(rounded)
    }
}
