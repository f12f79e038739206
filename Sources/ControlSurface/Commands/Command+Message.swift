import ControlProtocol
import HashTreeCollections
import Khipu
import Lighting

// What each command means to the home: the message that carries it out, and the words for it in the journal.

/// A command in the domain's terms, its names resolved.
struct ResolvedCommand: Sendable {
    let message: @Sendable (Ticket) -> Message
    /// The lights to list in the reply; `nil` if the command is not aimed at lights.
    var target: Target?
    /// The scene whose lights to list.
    var scene: Scene.ID?
    /// The names of the scenes that go with what is deleted.
    var scenes: [String]?
    /// The lights whose values are not sent because they are off.
    var withheld: [Light.ID] = []
    /// What it asks of lights.
    private(set) var lighting: Message.Lighting?
    /// The parts of the command that name no light, and how many parts it has in all.
    var unknown: [ErrorReply.Part] = []
    var parts = 0

    fileprivate init(_ message: Message.Lighting, at target: Target? = nil, scene: Scene.ID? = nil) {
        self.message = { .lighting(message, ticket: $0) }
        lighting = message
        self.target = target
        self.scene = scene
    }

    fileprivate init(_ message: Message.Rooms) { self.message = { .rooms(message, ticket: $0) } }
    fileprivate init(_ message: Message.Scenes) { self.message = { .scenes(message, ticket: $0) } }
    fileprivate init(_ message: Message.Bridges) { self.message = { .bridges(message, ticket: $0) } }
    fileprivate init(_ message: Message.Dashboard) { self.message = { .dashboard(message, ticket: $0) } }
    fileprivate init(_ message: Message.Switches) { self.message = { .switches(message, ticket: $0) } }
    fileprivate init(_ message: Message.Following, at target: Target? = nil) {
        self.message = { .following(message, ticket: $0) }
        self.target = target
    }
    fileprivate init(_ message: @escaping @Sendable (Ticket) -> Message) { self.message = message }
    fileprivate init(_ message: Message.Automations) { self.message = { .automations(message, ticket: $0) } }
    fileprivate init(_ message: Message.Presence) { self.message = { .presence(message, ticket: $0) } }
    fileprivate init(_ message: Message.Logging) { self.message = { .logging(message, ticket: $0) } }
}

extension Command {
    /// - Throws: `noSuchTarget` and `ambiguousTarget` with candidates for names, `invalid` for values that contradict
    ///   each other.
    func resolved(in home: Directory, at now: Timestamp) throws(ErrorReply) -> ResolvedCommand {
        switch self {
        case let .turn(to: power, target: text, over: time):
            let target = try home.target(named: text)
            return ResolvedCommand(.turn(power, target, over: .init(milliseconds: time)), at: target)
        case let .toggle(target: text, over: time):
            let target = try home.target(named: text)
            return ResolvedCommand(.toggle(target, over: .init(milliseconds: time)), at: target)
        case let .set(values, target: text, over: time, keepRatios: keepRatios):
            let target = try home.target(named: text)
            let change: Message.Lighting.ValueChange =
                keepRatios ? .mean(brightness: try values.onlyLevel) : .values(try values.patch)
            return ResolvedCommand(.apply(change, on: target, over: .init(milliseconds: time)), at: target)
        case let .increase(value, by: points, target: text, over: time, how):
            let (target, step) = (try home.target(named: text), try how.increment(points, of: value))
            let time = Transition(milliseconds: time)
            return ResolvedCommand(
                how.keepRatios
                    ? .apply(.meanStep(step), on: target, over: time)
                    : .increase(value, by: step, on: target, over: time), at: target)
        case let .decrease(value, by: points, target: text, over: time, how):
            let (target, step) = (try home.target(named: text), try how.increment(points, of: value))
            let time = Transition(milliseconds: time)
            return ResolvedCommand(
                how.keepRatios
                    ? .apply(.meanStep(step.reversed), on: target, over: time)
                    : .decrease(value, by: step, on: target, over: time), at: target)
        case let .rename(target: text, name: name):
            let target = try home.target(toRename: text, to: name)
            return ResolvedCommand(.change(.name(name), on: target), at: target)
        case let .recall(scene: text, over: time, dynamic: isDynamic, speed: speed):
            guard isDynamic == true || speed == nil else {
                throw ErrorReply(.invalid, "'speed' goes with 'dynamic'", hint: "send 'dynamic', too")
            }
            let scene = try home.scene(named: text)
            let motion = isDynamic.map { $0 ? SceneMotion(speed: speed.map { $0 / 100 }) : .still }
            return ResolvedCommand(.recall(scene, over: .init(milliseconds: time), moving: motion), scene: scene)
        case let .undo(steps: count, ticket: number, over: time):
            guard number == nil || count == 1 else {
                throw ErrorReply(.invalid, "'undo' takes 'steps' or 'ticket', not both")
            }
            return ResolvedCommand(.undo(count, downTo: number.map(UInt64.init), over: .init(milliseconds: time)))
        case let .redo(steps: count, over: time):
            return ResolvedCommand(.redo(count, over: .init(milliseconds: time)))
        case let .configure(target: text, change):
            let target = try home.target(named: text)
            return ResolvedCommand(.change(.configuration(change), on: target), at: target)
        case let .apply(lights: lights, over: time):
            let (states, unknown) = try lights.desiredStates(in: home)
            var command = ResolvedCommand(.restore(states, over: .init(milliseconds: time)))
            (command.unknown, command.parts) = (unknown, states.count + unknown.count)
            command.withheld = states.filter { home.light($0.light)?.withholds($0) == true }.map(\.light)
            return command
        case let .identify(target: text):
            let target = try home.target(named: text)
            return ResolvedCommand(.identify(target), at: target)
        case let .signal(target: text, colors: texts, duration: milliseconds):
            let target = try home.target(named: text)
            let colors = try texts.map { (text) throws(ErrorReply) in try Light.Color(named: text, of: "a signal") }
            return ResolvedCommand(.signal(Light.Signal(colors, milliseconds: milliseconds), on: target), at: target)
        case let .follow(target: text, curve: curve, only: only, until: moment, resumeAfter: seconds):
            let target = try home.target(named: text)
            let values = only.map { [$0] } ?? Set(FollowedValue.allCases)
            let curveValues = home.state.followings.curve(named: curve)?.values ?? values
            // One without any of them is refused as such.
            try home.needLights(
                of: target, thatFollow: values.isDisjoint(with: curveValues) ? values : values.intersection(curveValues)
            )
            return ResolvedCommand(
                .follow(
                    .curve(curve.lowercased()), on: target,
                    values: values,
                    until: try moment.map { (text) throws(ErrorReply) in try Self.moment(text, "until") },
                    resumesAfter: seconds.map { .seconds($0) }),
                at: target)
        case let .unfollow(target: text, timed: isTimed):
            let target = try home.target(named: text)
            return ResolvedCommand(Message.Following.unfollow(target, timed: isTimed ? true : nil), at: target)
        case let .resume(target: text):
            let target = try home.target(named: text)
            return ResolvedCommand(Message.Following.resume(target), at: target)
        case let .wake(target: text, over: time):
            let target = try home.target(named: text)
            try home.needLights(of: target, thatFollow: Set(FollowedValue.allCases))
            return ResolvedCommand(.follow(.wakeUp(over: .milliseconds(time)), on: target), at: target)
        case let .sleep(target: text, over: time):
            let target = try home.target(named: text)
            return ResolvedCommand(.follow(.sleep(over: .milliseconds(time)), on: target), at: target)
        case let .setCurve(name: name, points: points):
            return ResolvedCommand(Message.Following.draw(try Self.curve(points), named: name.lowercased()))
        case let .removeCurve(name: name):
            return ResolvedCommand(Message.Following.draw(nil, named: name.lowercased()))
        case let .createRoom(name: name, targets: texts, kind: kind, bridge: text):
            let bridge = try text.map { (text) throws(ErrorReply) in try home.bridge(named: text) }
            if texts.isEmpty, bridge == nil { try home.needOneBridge(toCreate: name, kind) }
            return ResolvedCommand(
                Message.Rooms.create(kind, named: name, try home.targets(named: texts), on: bridge))
        case let .addToRoom(room: text, targets: texts, kind: kind):
            let room = try home.room(named: text, kind: kind, to: "add")
            return ResolvedCommand(Message.Rooms.add(try home.targets(named: texts), to: room))
        case let .removeFromRoom(room: text, targets: texts, kind: kind):
            let room = try home.room(named: text, kind: kind, to: "remove")
            return ResolvedCommand(Message.Rooms.remove(try home.targets(named: texts), from: room))
        case let .renameRoom(room: text, name: name, kind: kind):
            let room = try home.room(named: text, kind: kind, to: "rename")
            return ResolvedCommand(.change(.name(name), on: .room(room)))
        case let .deleteRoom(room: text, kind: kind):
            let room = try home.room(named: text, kind: kind, to: "delete")
            var command = ResolvedCommand(Message.Rooms.delete(room, named: home.room(room)?.name ?? text))
            command.scenes = home.scenes.filter { $0.room == room }.map(\.name)
            return command
        case let .saveScene(name: name, targets: texts):
            let targets = texts.isEmpty ? [Target.room(try home.onlyRoom)] : try home.targets(named: texts)
            return ResolvedCommand(Message.Scenes.save(named: name, of: targets))
        case let .updateScene(scene: text):
            return ResolvedCommand(Message.Scenes.update(try home.scene(named: text)))
        case let .editScene(scene: text, targets: texts, values, power: power, remove: removes):
            let scene = try home.scene(named: text)
            let edit = try values.edit(turning: power, removing: removes)
            return ResolvedCommand(Message.Scenes.edit(scene, of: try home.targets(named: texts), by: edit))
        case let .renameScene(scene: text, name: name):
            return ResolvedCommand(Message.Scenes.rename(try home.scene(named: text), to: name))
        case let .deleteScene(scene: text):
            let scene = try home.scene(named: text)
            return ResolvedCommand(Message.Scenes.delete(scene, named: home.scene(scene)?.name ?? text))
        case let .deactivateScene(scene: text):
            return ResolvedCommand(Message.Scenes.deactivate(try home.scene(named: text)))
        case let .reorderScenes(room: text, scenes: texts, byName: isByName):
            guard texts.isEmpty == isByName else {
                throw ErrorReply(
                    .invalid,
                    isByName
                        ? "'by_name' puts all scenes in the order of their names; send either that or 'scenes'"
                        : "'reorder_scenes' has no order to make: send 'scenes', those that come first, or 'by_name'")
            }
            let room = try home.room(named: text, kind: nil, to: "reorder")
            let ordering = isByName ? Scene.Ordering.byName : .first(try home.scenes(named: texts, of: room))
            return ResolvedCommand(Message.Scenes.reorder(scenesOf: room, by: ordering))
        case let .schedule(steps: texts, at: moment, after: seconds):
            let timer = try Automation(timer: texts, at: moment, after: seconds, now: now, in: home)
            return ResolvedCommand { .automations(.schedule(timer.asked(by: $0.holder)), ticket: $0) }
        case let .cancelTimer(timer: text):
            return ResolvedCommand(Message.Automations.remove(try home.timer(named: text)))
        case let .enableAutomation(automation: name):
            return ResolvedCommand(.enable(try home.automation(named: name).id, true))
        case let .disableAutomation(automation: name):
            return ResolvedCommand(.enable(try home.automation(named: name).id, false))
        case let .skipAutomation(automation: name):
            return ResolvedCommand(.skip(try home.automation(named: name).id, true))
        case let .unskipAutomation(automation: name):
            return ResolvedCommand(.skip(try home.automation(named: name).id, false))
        case let .stopAutomation(automation: name):
            return ResolvedCommand(.stop(try home.automation(named: name).id))
        case let .runAutomation(automation: name):
            return ResolvedCommand(.run(try home.automation(named: name).id))
        case let .removeAutomation(automation: name):
            return ResolvedCommand(Message.Automations.remove(try home.automation(named: name).id))
        case .load:
            return ResolvedCommand(.load)
        case let .discover(seconds: seconds):
            return ResolvedCommand(.discover(for: .seconds(seconds)))
        case let .pair(bridge: text, seconds: seconds):
            let bridge = try text.map { (text) throws(ErrorReply) in try home.bridgeOrID(text) }
            return ResolvedCommand(.pair(bridge, waiting: .seconds(seconds)))
        case let .forget(bridge: text):
            return ResolvedCommand(.forget(try home.bridge(named: text)))
        case .show:
            return ResolvedCommand(Message.Dashboard.show)
        case let .pin(target: text):
            return ResolvedCommand(.pin(try home.target(named: text)))
        case let .unpin(target: text):
            return ResolvedCommand(.unpin(try home.pinnedTarget(text)))
        case let .move(target: text, place: place):
            return ResolvedCommand(.move(try home.pinnedTarget(text), to: place - 1))
        case let .display(target: text, as: display):
            return ResolvedCommand(.toggle(.display(to: display), of: try home.pinnedTarget(text)))
        case let .exclude(target: text, from: exclusion):
            return ResolvedCommand(Message.Dashboard.exclude(try home.lightsToExclude(text), from: exclusion))
        case let .include(target: text, in: exclusion):
            return ResolvedCommand(Message.Dashboard.include(try home.lightsToExclude(text), in: exclusion))
        case let .allOff(over: time):
            let states = home.lightsOfAllOff.map { DesiredState($0, power: .off) }
            return ResolvedCommand(.restore(states, over: .init(milliseconds: time)))
        case let .bind(switch: text, target: target, scenes: scenes):
            let sensor = try home.sensor(named: text)
            let target = try home.target(named: target)
            let named = try scenes.map { (texts) throws(ErrorReply) in
                try texts.map { (text) throws(ErrorReply) in try home.scene(named: text, of: target) }
            }
            return ResolvedCommand(Message.Switches.bind(SwitchBinding(of: sensor, to: target, scenes: named)))
        case let .unbind(switch: text):
            return ResolvedCommand(Message.Switches.unbind(try home.boundSwitch(named: text)))
        case let .enableSensor(sensor: text):
            return ResolvedCommand(.enable(try home.sensor(named: text), true))
        case let .disableSensor(sensor: text):
            return ResolvedCommand(.enable(try home.sensor(named: text), false))
        case let .away(to: action, settings):
            return ResolvedCommand(try action.message(settings, in: home, at: now))
        case let .prune(days: days):
            return ResolvedCommand(.prune(olderThan: now.advanced(by: .seconds(-days * 86_400))))
        }
    }
}

extension Command {
    private static func moment(_ text: String, _ field: String) throws(ErrorReply) -> Moment {
        do {
            return try Moment(text)
        } catch {
            throw ErrorReply(.invalid, "'\(field)' is '\(text)': \(error)")
        }
    }

    private static func curve(_ points: [String]) throws(ErrorReply) -> Curve {
        var keyframes: [Curve.Keyframe] = []
        for text in points {
            do {
                keyframes.append(try Curve.Keyframe(text))
            } catch {
                throw ErrorReply(
                    .invalid, "the point '\(text)' is not understood: \(error)",
                    hint: "write points such as '06:30 40% 2700K', 'sunset - 20m 60%' or 'sun -6 2200K'")
            }
        }
        do {
            return try Curve(keyframes)
        } catch {
            throw ErrorReply(.invalid, error.description)
        }
    }
}

extension Message.Following {
    fileprivate static func follow(_ course: Following.Course, on target: Target) -> Self {
        .follow(course, on: target, values: Set(FollowedValue.allCases), until: nil, resumesAfter: nil)
    }
}

extension Transition {
    /// - Parameter milliseconds: `nil` leaves the time to the bridge.
    init(milliseconds: Int?) {
        self = if let milliseconds { .milliseconds(milliseconds) } else { .usual }
    }
}

extension Command.Stepping {
    /// - Throws: `invalid` for what only the brightness has.
    func increment(_ points: Double, of value: LightValue) throws(ErrorReply) -> Message.Lighting.Increment {
        guard value == .brightness || self == Self() else {
            throw ErrorReply(
                .invalid, "'\(keepRatios ? "keep_ratios" : "perceptual")' goes with the value 'brightness' alone")
        }
        return perceptual ? .lightness(points) : .pt(points)
    }
}

extension Directory {
    fileprivate func lightsToExclude(_ text: String) throws(ErrorReply) -> [Light.ID] {
        let target = try target(named: text)
        let lights = lights(of: target).map(\.id)
        guard !lights.isEmpty else { throw (missingBridge ?? .noLights(in: target)).reply(in: self) }
        return lights
    }

    /// In display order; then those of bridges that have not been read yet, which fail.
    fileprivate var lightsOfAllOff: [Light.ID] {
        (lights.map(\.id) + state.unreadLights.keys.sorted()).filter { !dashboard.excludes($0, from: .allOff) }
    }
}

extension DesiredState {
    /// Whether it asks for nothing but off.
    var isOnlyOff: Bool { power == .off && !values.hasValues }
}

// MARK: The journal's words

// A command and its response read alike, so that the eye finds the pair.

extension Message {
    /// One line for a person; a failure says why.
    func words(in home: Directory) -> String {
        let text =
            switch self {
            case let .bridges(.joined(bridge), ticket) where ticket.isUnasked:
                "remembers bridge '\(bridge.name)' (\(bridge.id)) at \(bridge.address)"
            case let .lighting(message, _): message.words(in: home)
            case let .bridges(message, _): message.words(in: home)
            case let .dashboard(message, _): message.words(in: home)
            case let .logging(message, _): message.words
            case let .rooms(message, _): message.words(in: home)
            case let .scenes(message, _): message.words(in: home)
            case let .automations(message, _): message.words(in: home)
            case let .switches(message, _): message.words(in: home)
            case let .following(message, _): message.words(in: home)
            case let .presence(message, _): message.words(in: home)
            }
        // A bridge's own words may contain line breaks.
        return (outcome?.failure.map { "\(text): \($0.words(in: home))" } ?? text)
            .split(whereSeparator: \.isNewline).joined(separator: " ")
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
        case let .apply(change, on: target, over: time):
            change.words(to: home.name(of: target)) + time.words
        case let .applying(change, on: target, _): change.words(to: home.name(of: target))
        case let .change(.configuration(change), on: target), let .changing(.configuration(change), on: target, _):
            "set what \(home.name(of: target)) does \(change.property.occasion) to '\(change.value)'"
        case let .change(.name(name), on: target), let .changing(.name(name), on: target, _):
            "rename \(home.name(of: target, renamed: name)) to '\(name)'"
        case let .increase(value, by: step, on: target, over: time):
            "increase \(value.rawValue) of \(home.name(of: target)) by \(step.words(for: value))\(time.words)"
        case let .increasing(value, by: step, on: target, _):
            "increase \(value.rawValue) of \(home.name(of: target)) by \(step.words(for: value))"
        case let .decrease(value, by: step, on: target, over: time):
            "decrease \(value.rawValue) of \(home.name(of: target)) by \(step.words(for: value))\(time.words)"
        case let .decreasing(value, by: step, on: target, _):
            "decrease \(value.rawValue) of \(home.name(of: target)) by \(step.words(for: value))"
        case let .recall(scene, over: time, moving: motion):
            "recall \(home.name(of: scene))\(motion?.words ?? "")\(time.words)"
        case let .recalling(scene, _): "recall \(home.name(of: scene))"
        case let .restore(states, over: time) where states.allSatisfy(\.isOnlyOff):
            states.isEmpty ? "turn nothing off" : "turn \(home.few(states.map(\.light))) off\(time.words)"
        case let .restore(states, over: time): "restore \(home.few(states.map(\.light)))\(time.words)"
        case let .restoring(lights, _): "restore \(home.few(lights)) (those that differed)"
        case let .follow(states, over: time): "\(counted(states.count, "light")) to what they follow\(time.words)"
        case .following: "lights to what they follow"
        case let .identify(target), let .identifying(target, _): "identify \(home.name(of: target))"
        case let .signal(signal, on: target), let .signaling(signal, on: target, _):
            signal.words(at: home.name(of: target))
        case let .reported(update): update.words(in: home)
        case let .reread(difference): difference.words(in: home)
        case let .undo(_, downTo: number?, over: time): "undo down to command \(number)\(time.words)"
        case let .undo(count, downTo: nil, over: time): "undo \(counted(count, "command"))\(time.words)"
        case let .undoing(reversal, _): "undo \(reversal.words(in: home))"
        case let .redo(count, over: time): "redo \(counted(count, "command"))\(time.words)"
        case let .redoing(reversal, _): "redo \(reversal.words(in: home))"
        case let .settled(outcome):
            outcome.failure.map { "not confirmed: \($0.words(in: home))" } ?? "everything is confirmed"
        }
    }
}

extension Message.Bridges {
    fileprivate func words(in home: Directory) -> String {
        switch self {
        case let .discover(for: time): "look for bridges for \(time.words)"
        case let .discovering(found, _): "look for bridges: \(found.count { $0.id != nil }) found"
        case let .pair(bridge, waiting: time):
            "pair with \(bridge.map { home.name(of: $0) } ?? "the bridge in reach"), waiting \(time.words)"
        case let .pairing(bridge, _): "pair with \(bridge.map { home.name(of: $0) } ?? "the bridge in reach")"
        case let .forget(bridge), let .forgetting(bridge, _): "forget \(home.name(of: bridge))"
        case let .joined(bridge): "paired with '\(bridge.name)' (\(bridge.id)) at \(bridge.address)"
        case let .connected(bridge, by: _): "\(home.name(of: bridge)) is connected"
        case let .lost(bridge, because: failure):
            "lost the connection to \(home.name(of: bridge)): \(failure.reasonAndRemedy)"
        case let .seen(bridge, at: address, name: name, model: model):
            "found bridge \(bridge) at \(address): '\(name)', \(model)"
        }
    }
}

extension Message.Rooms {
    fileprivate func words(in home: Directory) -> String {
        switch self {
        case let .create(kind, named: name, targets, on: _):
            "create \(kind.rawValue) '\(name)'" + (targets.isEmpty ? "" : " with \(home.names(of: targets))")
        case let .creating(kind, named: name, _, _, leaving):
            "create \(kind.rawValue) '\(name)'\(home.words(of: leaving ?? []))"
        case let .add(targets, to: room): "add \(home.names(of: targets)) to \(home.name(of: .room(room)))"
        case let .adding(targets, to: room, _, leaving):
            "add \(home.names(of: targets)) to \(home.name(of: .room(room)))\(home.words(of: leaving ?? []))"
        case let .remove(targets, from: room), let .removing(targets, from: room, _):
            "remove \(home.names(of: targets)) from \(home.name(of: .room(room)))"
        case let .delete(_, named: name), let .deleting(_, named: name, _): "delete @\(name)"
        }
    }
}

extension Message.Scenes {
    fileprivate func words(in home: Directory) -> String {
        switch self {
        case let .save(named: name, of: targets): "save scene '\(name)' of \(home.names(of: targets))"
        case let .saving(named: name, _, _): "save scene '\(name)'"
        case let .update(scene), let .updating(scene, _): "update \(home.name(of: scene))"
        case let .edit(scene, of: targets, by: edit), let .editing(scene, of: targets, by: edit, _):
            "edit \(home.name(of: scene)): \(edit.words(of: home.names(of: targets)))"
        case let .rename(scene, to: name), let .renaming(scene, to: name, _):
            "rename \(home.name(of: scene, renamed: name)) to '\(name)'"
        case let .delete(_, named: name), let .deleting(_, named: name, _): "delete scene '\(name)'"
        case let .read(scene), let .reading(scene, _, _): "read \(home.name(of: scene))"
        case let .deactivate(scene), let .deactivating(scene, _): "deactivate \(home.name(of: scene))"
        case let .reorder(scenesOf: room, by: .byName), let .reordering(scenesOf: room, by: .byName, _):
            "reorder scenes of \(home.name(of: .room(room))): by name"
        case let .reorder(scenesOf: room, by: .first(scenes)), let .reordering(scenesOf: room, by: .first(scenes), _):
            "reorder scenes of \(home.name(of: .room(room))): \(scenes.map { home.name(of: $0) }.joined(separator: ", "))"
                + " first"
        }
    }
}

extension Message.Switches {
    fileprivate func words(in home: Directory) -> String {
        switch self {
        case let .bind(binding), let .binding(binding, _):
            "bind '\(home.name(of: binding.id))' to \(home.name(of: binding.target))"
        case let .unbind(id), let .unbinding(id, _): "unbind '\(home.name(of: id))'"
        case let .enable(id, isEnabled), let .enabling(id, isEnabled, _):
            "\(isEnabled ? "enable" : "disable") '\(home.name(of: id))'"
        case let .missed(binding, because: .noSuchTarget):
            "'\(home.name(of: binding.id))' does nothing: \(home.targetName(of: binding)) no longer exists; "
                + "bind it to something else, or unbind it"
        case let .missed(binding, because: failure):
            "'\(home.name(of: binding.id))' does nothing: \(failure.words(in: home))"
        }
    }
}

extension Message.Dashboard {
    fileprivate func words(in home: Directory) -> String {
        switch self {
        case .show, .showing: "show the dashboard"
        case let .pin(target), let .pinning(target, _): "pin \(home.name(of: target))"
        case let .unpin(target), let .unpinning(target, _): "unpin \(home.name(of: target))"
        case let .move(target, to: place), let .moving(target, to: place, _):
            "move \(home.name(of: target)) to place \(place + 1)"
        case let .toggle(.display(to: display), of: target), let .toggling(.display(to: display), of: target, _):
            "show \(home.name(of: target)) by \(display.rawValue)"
        case let .exclude(lights, from: .allOff), let .excluding(lights, from: .allOff, _):
            "leave \(home.few(lights)) out of all off"
        case let .include(lights, in: .allOff), let .including(lights, in: .allOff, _):
            "let all off turn off \(home.few(lights))"
        case let .exclude(lights, from: .page), let .excluding(lights, from: .page, _):
            "hide \(home.few(lights)) from the page"
        case let .include(lights, in: .page), let .including(lights, in: .page, _):
            "show \(home.few(lights)) on the page"
        }
    }
}

extension Message.Logging {
    fileprivate var words: String {
        switch self {
        case let .write(level, text): level == .info ? text : "\(level.rawValue): \(text)"
        case let .writing(level, _): "write an entry of level \(level.rawValue)"
        case .list, .listing, .withdraw: "list the log"
        case let .prune(olderThan: time), let .pruning(olderThan: time, _):
            "prune the log of entries older than \(time.iso8601)"
        }
    }
}

extension Command.Away {
    /// - Throws: `invalid` for an end that is not a time.
    func message(
        _ settings: Command.AwaySettings, in home: Directory, at now: Timestamp
    ) throws(ErrorReply) -> Message.Presence {
        switch self {
        case .off: return .end
        case .on: return .begin(try settings.settings(in: home, at: now))
        case .plan: return .preview(try settings.settings(in: home, at: now))
        }
    }
}

extension Command.AwaySettings {
    fileprivate func settings(in home: Directory, at now: Timestamp) throws(ErrorReply) -> PresenceReplay.Settings {
        var end: Timestamp?
        if let until {
            guard let time = Timestamp(iso8601: until) else {
                throw ErrorReply(.invalid, "'until' is not a time: use ISO 8601, such as 2026-12-01T17:00:00Z")
            }
            end = time
        }
        // One that goes on keeps its plan; for a new one any number will do that the next does not have.
        let replay = home.state.presence.flatMap { $0.isGoingOn ? $0.settings.seed : nil }
        return PresenceReplay.Settings(
            until: end, seed: seed.map { UInt64(clamping: $0) } ?? replay ?? UInt64(clamping: now.milliseconds),
            includesPlugs: plugs, ignoresMotion: ignoreMotion, isPlain: plain)
    }
}

extension Light.Signal {
    /// "signal @Kitchen with #ff0000 for 5 s", "end the signal of Desk"
    fileprivate func words(at name: String) -> String {
        guard milliseconds > 0 else { return "end the signal of \(name)" }
        let colors = colors.map(\.swatch.hex).joined(separator: " and ")
        let time = Duration.milliseconds(milliseconds).words
        return "signal \(name)\(colors.isEmpty ? "" : " with \(colors)") for \(time)"
    }
}

extension Scene.Edit {
    /// "set Desk, Lamp to 40%", "turn Desk off", "take Desk out"
    fileprivate func words(of names: String) -> String {
        switch self {
        case let .set(patch) where patch.hasValues: "set \(names) to \(patch.words)"
        case let .set(patch): "turn \(names) \((patch.power ?? .on).rawValue)"
        case .remove: "take \(names) out"
        }
    }
}

extension SceneMotion {
    /// " dynamically at 60%", " statically"
    fileprivate var words: String {
        isDynamic ? " dynamically" + (speed.map { " at \($0.percentWords)" } ?? "") : " statically"
    }
}
