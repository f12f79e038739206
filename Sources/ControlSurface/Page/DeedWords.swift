import ControlProtocol
import HashTreeCollections
import Khipu
import Languages
import Lighting

/// What a command did, or what a bridge tells of a lamp, to be put into a sentence after who it was.
struct Deed: Hashable, Sendable {
    enum Verb: Hashable, Sendable {
        case turned(Turn)
        /// To "orange, 40%".
        case set(String)
        case silent, answers, power
        /// Worded already: "renamed Desk to Sofa".
        case other(String)
    }

    var verb: Verb
    /// What it was done to, and what that was called then.
    var things: [Thing] = []

    struct Thing: Hashable, Sendable {
        let target: Target
        let name: String
    }

    init(_ verb: Verb, _ things: [Thing] = []) { (self.verb, self.things) = (verb, things) }

    /// Whether it is a sentence by itself: nobody did it.
    var isWhole: Bool { [.silent, .answers, .power].contains(verb) }
}

/// Puts messages into the words of people, from what they are and not from the lines of a command. Verbs are such that
/// what follows who did it is "turned Kitchen off", in German "Küche ausgeschaltet" (after "hat").
struct DeedWords {
    /// With the names of the time of the message.
    let home: Directory
    let words: Language

    /// "Anna turned Kitchen off"; of several deeds, at most three are said.
    func sentence(_ who: String, _ deeds: [Deed]) -> String {
        let said = deeds.map(text)
        let few = said.count > 4 ? said.prefix(3) + [words("did \(said.count - 3) more things")] : said[...]
        return words("\(who) \(words.list(Array(few)))")
    }

    func text(_ deed: Deed) -> String {
        let (names, isOne) = (list(deed.things.map(\.name)), deed.things.count == 1)
        return switch deed.verb {
        case .turned(.on): words("turned \(names) on")
        case .turned(.off): words("turned \(names) off")
        case let .set(value): words("set \(names) to \(value)")
        case .silent where isOne: words("\(names) does not answer.")
        case .silent: words("\(names) do not answer.")
        case .answers where isOne: words("\(names) answers again.")
        case .answers: words("\(names) answer again.")
        case .power where isOne: words("\(names) has power again.")
        case .power: words("\(names) have power again.")
        case let .other(text): text
        }
    }

    // MARK: Names

    func things(_ lights: [Light.ID]) -> [Deed.Thing] { lights.map { thing(.light($0)) } }

    /// If they are all of the home, as one.
    private func all(_ lights: [Light.ID]) -> [Deed.Thing] {
        lights.count == home.state.lights.count ? [thing(.all)] : things(lights)
    }

    func thing(_ target: Target) -> Deed.Thing { Deed.Thing(target: target, name: name(of: target)) }

    func name(of target: Target) -> String {
        switch target {
        case let .light(id): home.name(of: id).flatMap { $0.isEmpty ? nil : $0.isolated } ?? words("a lamp")
        case let .room(id): home.name(of: id).flatMap { $0.isEmpty ? nil : $0.isolated } ?? words("a room")
        case .all: words("all lamps")
        }
    }

    /// "Desk, Sofa and Fan"; of more than four, "Desk, Sofa, Fan and 3 more".
    func list(_ names: [String]) -> String {
        let few = names.count > 4 ? names.prefix(3) + [words("\(names.count - 3) more")] : names[...]
        return words.list(Array(few))
    }

    func list(_ targets: [Target]) -> String { list(targets.map(name)) }

    /// "the scene Evening in Living"
    func scene(_ id: Scene.ID) -> String {
        let path = home.name(of: id)
        let known = home.scene(id)
        // The journal remembers both names in one.
        guard let known, path == home.state.name(of: known) else {
            guard !path.hasPrefix("scene ") else { return words("a scene") }
            let parts = path.split(separator: "/", maxSplits: 1)
            return parts.count == 2 ? scene(String(parts[1]), in: String(parts[0])) : scene(path, in: nil)
        }
        return scene(known.name, in: home.roomName(of: known))
    }

    private func scene(_ name: String, in room: String?) -> String {
        guard !name.isEmpty else { return words("a scene") }
        return room.map { words("the scene \(name.isolated) in \($0.isolated)") }
            ?? words("the scene \(name.isolated)")
    }

    func sensor(_ id: Sensor.ID) -> String {
        let name = home.name(of: id)
        return name == "sensor \(id)" ? words("a sensor") : name.isolated
    }

    func bridge(_ id: Bridge.ID) -> String {
        home.bridge(id).flatMap { $0.name.isEmpty ? nil : words("the bridge \($0.name.isolated)") }
            ?? words("a bridge")
    }

    // MARK: Values

    /// "orange, 40%"; empty if it names neither.
    func value(_ patch: LightPatch) -> String {
        [patch.tone.flatMap(tone), patch.brightness.map(level)].compactMap(\.self).joined(separator: ", ")
    }

    func level(_ brightness: Double) -> String { words.percent(brightness) }

    private func tone(_ tone: LightPatch.Tone) -> String? {
        switch tone {
        case let .white(mirek): ColorName.of(mirek: mirek.value)
        case let .color(hue?, saturation):
            ColorName.of(hue: hue * 360, saturation: (saturation ?? 1) * 100, words)
        case .color: words("another colour")
        case let .gradient(gradient):
            words.list(
                gradient.points.map { ColorName.of(hue: $0.hue * 360, saturation: $0.saturation * 100, words) }.unique)
        case let .effect(effect?, over: _) where effect.name == Light.Effect.palette: words("moving colours")
        case let .effect(effect?, over: _): words("the effect \(EffectName.of(effect, words).isolated)")
        case let .effect(nil, over: base): base.flatMap(self.tone) ?? words("no effect")
        }
    }

    // MARK: Commands

    /// What a command or its answer says was done; `nil` for what is not done to the home, or not told.
    func deed(_ message: Message) -> Deed? {
        switch message {
        case let .lighting(message, _): deed(message)
        case let .rooms(message, _): other(text(message))
        case let .scenes(message, _): other(text(message))
        case let .switches(message, _): other(text(message))
        case let .automations(message, _): other(text(message))
        case let .following(message, _): other(text(message))
        case let .presence(message, _): other(text(message))
        case let .bridges(message, _): other(text(message))
        case let .dashboard(message, _): other(text(message))
        case let .logging(message, _): other(text(message))
        }
    }

    private func other(_ text: String?) -> Deed? { text.map { Deed(.other($0)) } }

    func deed(_ message: Message.Lighting) -> Deed? {
        switch message {
        case let .turn(turn, target, _), let .turning(turn, target, _), let .toggling(target, to: turn, _):
            Deed(.turned(turn), [thing(target)])
        case let .toggle(target, _): other(words("switched \(name(of: target))"))
        case .apply(.values(LightPatch(tone: .effect(nil, over: nil))), on: let target, _),
            .applying(.values(LightPatch(tone: .effect(nil, over: nil))), on: let target, _):
            other(words("ended the effect of \(name(of: target))"))
        case let .apply(.values(patch), on: target, _), let .applying(.values(patch), on: target, _):
            patch.hasValues
                ? Deed(.set(value(patch)), [thing(target)]) : Deed(.turned(patch.power ?? .on), [thing(target)])
        case let .apply(.mean(brightness), on: target, _), let .applying(.mean(brightness), on: target, _):
            Deed(.set(level(brightness)), [thing(target)])
        case let .apply(.meanStep(step), on: target, _), let .applying(.meanStep(step), on: target, _):
            other(stepped(.brightness, isUp: step.points > 0, target))
        case let .increase(value, _, target, _), let .increasing(value, _, target, _):
            other(stepped(value, isUp: true, target))
        case let .decrease(value, _, target, _), let .decreasing(value, _, target, _):
            other(stepped(value, isUp: false, target))
        case let .change(.name(new), on: target), let .changing(.name(new), on: target, _):
            // Its name is the new one already if the state had it first.
            name(of: target) == new.isolated
                ? other(words("gave something the name \(new.isolated)"))
                : other(words("renamed \(name(of: target)) to \(new.isolated)"))
        case let .change(.configuration, on: target), let .changing(.configuration, on: target, _):
            other(words("changed the settings of \(name(of: target))"))
        case let .recall(id, _, _), let .recalling(id, _): other(words("chose \(scene(id))"))
        case let .restore(states, _) where states.allSatisfy(\.isOnlyOff):
            states.isEmpty ? other(words("turned nothing off")) : Deed(.turned(.off), all(states.map(\.light)))
        case let .restore(states, _):
            other(words("put \(list(things(states.map(\.light)).map(\.name))) back as before"))
        // Which of them differed is told of no other command either, and what it asked for is not in the answer.
        case .restoring: nil
        // Who did it says to what: the time of day, or a wake-up light.
        case let .follow(states, _): other(words("adjusted \(list(things(states.map(\.light)).map(\.name)))"))
        case .following: other(words("adjusted lamps"))
        case let .identify(target), let .identifying(target, _), let .signal(_, on: target),
            let .signaling(_, on: target, _):
            other(words("made \(name(of: target)) blink"))
        case .undo: other(words("took back a change"))
        case let .undoing(reversal, _): other(undone(reversal))
        case .redo: other(words("made a change again"))
        case let .redoing(reversal, _):
            reversal.lights.isEmpty
                ? other(words("made a change again"))
                : other(words("changed \(list(things(reversal.lights).map(\.name))) again"))
        case .load, .loading: other(words("read the bridges again"))
        case .reported, .reread, .settled: nil
        }
    }

    private func undone(_ reversal: Reversal) -> String {
        guard !reversal.lights.isEmpty else { return words("took back a change") }
        let names = list(things(reversal.lights).map(\.name))
        return reversal.steps == 1
            ? words("took back a change of \(names)") : words("took back \(reversal.steps) changes of \(names)")
    }

    private func stepped(_ value: LightValue, isUp: Bool, _ target: Target) -> String {
        let name = name(of: target)
        return switch (value, isUp) {
        case (.brightness, true): words("made \(name) brighter")
        case (.brightness, false): words("made \(name) darker")
        // In mirek, of which more is warmer.
        case (.temperature, true): words("made \(name) warmer")
        case (.temperature, false): words("made \(name) cooler")
        case (.hue, _), (.saturation, _): words("changed the colour of \(name)")
        }
    }

    private func text(_ message: Message.Rooms) -> String? {
        switch message {
        case let .create(.room, named: name, _, _), let .creating(.room, named: name, _, _, _):
            words("made the room \(name.isolated)")
        case let .create(.zone, named: name, _, _), let .creating(.zone, named: name, _, _, _):
            words("made the zone \(name.isolated)")
        case let .add(targets, to: room), let .adding(targets, to: room, _, _):
            words("put \(list(targets)) into \(name(of: .room(room)))")
        case let .remove(targets, from: room), let .removing(targets, from: room, _):
            words("took \(list(targets)) out of \(name(of: .room(room)))")
        case let .delete(_, named: name), let .deleting(_, named: name, _): words("deleted \(name.isolated)")
        }
    }

    private func text(_ message: Message.Scenes) -> String? {
        switch message {
        case let .save(named: name, _), let .saving(named: name, _, _): words("saved the scene \(name.isolated)")
        case let .update(id), let .updating(id, _), let .edit(id, _, _), let .editing(id, _, _, _):
            words("changed \(scene(id))")
        case let .rename(id, to: name), let .renaming(id, to: name, _):
            words("renamed \(scene(id)) to \(name.isolated)")
        case let .delete(_, named: name), let .deleting(_, named: name, _):
            words("deleted the scene \(name.isolated)")
        case let .deactivate(id), let .deactivating(id, _): words("ended \(scene(id))")
        case let .reorder(scenesOf: room, _), let .reordering(scenesOf: room, _, _):
            words("put the scenes of \(name(of: .room(room))) in order")
        case .read, .reading: nil
        }
    }

    private func text(_ message: Message.Switches) -> String? {
        switch message {
        case let .bind(binding), let .binding(binding, _):
            words("let \(sensor(binding.id)) control \(name(of: binding.target))")
        case let .unbind(id), let .unbinding(id, _): words("let \(sensor(id)) control nothing")
        case let .enable(id, true), let .enabling(id, true, _): words("let \(sensor(id)) report")
        case let .enable(id, false), let .enabling(id, false, _): words("let \(sensor(id)) report nothing")
        case .missed: nil
        }
    }

    private func text(_ message: Message.Automations) -> String? {
        func automation(_ id: Automation.ID) -> String {
            (home.state.automations.automations[id]?.name ?? id.description).isolated
        }
        switch message {
        case .replace: return words("changed automations")
        case let .replacing(difference, _):
            let names = list((difference.added + difference.changed + difference.removed).map(\.isolated))
            return switch (difference.added.count, difference.changed.count, difference.removed.count) {
            case (0, 0, 0): words("changed automations")
            case (1, 0, 0): words("made the automation \(names)")
            case (0, 0, 1): words("deleted the automation \(names)")
            default: words("changed the automation \(names)")
            }
        case let .enable(id, true), let .enabling(id, true, _):
            return words("turned the automation \(automation(id)) on")
        case let .enable(id, false), let .enabling(id, false, _):
            return words("turned the automation \(automation(id)) off")
        case let .remove(id), let .removing(id, _):
            return home.state.automations.timers.contains { $0.id == id } || id.description.hasPrefix("timer ")
                ? words("cancelled a timer") : words("deleted the automation \(automation(id))")
        case let .skip(id, true), let .skipping(id, true, _):
            return words("let \(automation(id)) be skipped once")
        case let .skip(id, false), let .skipping(id, false, _):
            return words("let \(automation(id)) not be skipped")
        case let .run(id), let .running(id, _): return words("started \(automation(id))")
        case let .stop(id), let .stopping(id, _): return words("stopped \(automation(id))")
        case .schedule, .scheduling: return words("set a timer")
        case .started, .ended, .skipped, .saved: return nil
        }
    }

    private func text(_ message: Message.Following) -> String? {
        switch message {
        case let .follow(.wakeUp, on: target, _, _, _), let .following(.wakeUp, on: target, _):
            words("started the wake-up light of \(name(of: target))")
        case let .follow(.sleep, on: target, _, _, _), let .following(.sleep, on: target, _):
            words("started the sleep light of \(name(of: target))")
        case let .follow(.curve, on: target, _, _, _), let .following(.curve, on: target, _):
            words("let \(name(of: target)) follow the day")
        case let .unfollow(target, timed: true?): words("stopped the wake-up or sleep light of \(name(of: target))")
        // The command says which.
        case .unfollowing: nil
        case let .unfollow(target, timed: _): words("ended the day's course of \(name(of: target))")
        case let .resume(target), let .resuming(target, _): words("let \(name(of: target)) follow the day again")
        case let .draw(_, named: name), let .drawing(_, named: name, _):
            words("changed the day's course \(name.isolated)")
        case .paused, .resumed, .ended: nil
        }
    }

    private func text(_ message: Message.Presence) -> String? {
        switch message {
        case .begin, .beginning: words("turned away mode on")
        case .end, .ending: words("turned away mode off")
        case .preview, .previewing, .recalled, .planned, .ended: nil
        }
    }

    private func text(_ message: Message.Bridges) -> String? {
        switch message {
        case .discover, .discovering: words("looked for bridges")
        case let .pair(id?, _), let .pairing(id?, _): words("paired with \(bridge(id))")
        case .pair(nil, _), .pairing(nil, _): words("paired with a bridge")
        case let .forget(id), let .forgetting(id, _): words("forgot \(bridge(id))")
        case .joined, .connected, .lost, .seen: nil
        }
    }

    private func text(_ message: Message.Dashboard) -> String? {
        switch message {
        case let .pin(target), let .pinning(target, _): words("pinned \(name(of: target)) to the top")
        case let .unpin(target), let .unpinning(target, _): words("unpinned \(name(of: target))")
        case .move, .moving: words("changed the order of what is pinned")
        case let .toggle(_, of: target), let .toggling(_, of: target, _):
            words("changed the controls of \(name(of: target))")
        case let .exclude(lights, from: .allOff), let .excluding(lights, from: .allOff, _):
            words("let All off leave \(list(lights.map(Target.light))) on")
        case let .include(lights, in: .allOff), let .including(lights, in: .allOff, _):
            words("let All off turn off \(list(lights.map(Target.light))) again")
        case let .exclude(lights, from: .page), let .excluding(lights, from: .page, _):
            words("hid \(list(lights.map(Target.light))) from the page")
        case let .include(lights, in: .page), let .including(lights, in: .page, _):
            words("showed \(list(lights.map(Target.light))) on the page again")
        case .show, .showing: nil
        }
    }

    private func text(_ message: Message.Logging) -> String? {
        switch message {
        case let .write(_, text): words("noted: \(String(text.prefix(200)).isolated)")
        case .prune, .pruning: words("deleted old entries of the log")
        case .writing, .list, .listing, .withdraw: nil
        }
    }

    // MARK: What went wrong

    /// Why it did not work, as a sentence of its own.
    func reason(_ failure: Failure) -> String {
        guard case let .partly(parts, of: _) = failure, let first = parts.first else { return failure.inGeneral(words) }
        return words("\(list(parts.map(\.target))): \(reason(first.failure))")
    }
}

extension Failure {
    /// Why it did not work, as a sentence of its own, for whoever does not keep the house.
    func inGeneral(_ words: Language) -> String {
        switch self {
        case .refused: words("The bridge refused it.")
        case .unconfirmed: words("The lamp did not confirm it. Does it have power?")
        case .unreachable: words("The bridge did not answer.")
        case .notPaired, .keyRefused, .certificateRefused: words("The bridge has to be paired again.")
        case .buttonNotPressed: words("The bridge's button was not pressed in time.")
        case .noBridgeFound, .noBridgeCalled: words("No bridge was found.")
        case .noSuchTarget, .noSuchScene, .noSuchBridge, .noSuchAutomation, .noSuchSensor, .noSuchCurve, .noSuchName:
            words("It no longer exists.")
        case .roomExists, .sceneExists, .automationExists: words("There is one of that name already.")
        case .noLights: words("It has no lamps.")
        case .cannot: words("The lamp is not able to do that.")
        case .nothingToReverse, .notUndoable: words("Nothing was left to take back.")
        case .followed, .changedMeanwhile: words("Somebody has changed it since.")
        default: words("It did not work.")
        }
    }
}
