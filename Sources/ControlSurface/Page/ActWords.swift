import Khipu
import Languages
import Lighting

/// One entry of the journal in the words of people.
struct ActWords {
    private let message: Message
    private let home: Directory
    private let deeds: DeedWords
    private let words: Language

    /// - Parameter home: as it is now, for the names that the entry does not remember.
    init(_ entry: Journal.Entry, in home: Directory, _ language: Language) {
        (message, self.home, words) = (entry.message, home, language)
        deeds = DeedWords(home: home.remembering(entry.names), words: language)
    }

    /// What happened without a command.
    struct Fact {
        let scope: PageLogScope
        var who: String?
        var deed: Deed?
        /// In place of a deed.
        var sentence: String?
        var isAutomatic = true
    }

    /// The beginning or the end of a run.
    struct Run {
        let id: String
        let who: String
        var sentence: String?
        var reason = ""
        var hasFailed = false
        /// Whether it is worth a line by itself.
        var isTold = true
    }

    var deed: Deed? { deeds.deed(message) }

    func who(_ sender: Sender) -> String { sender.words(words).asBeginning }

    func reason(_ failure: Failure) -> String { deeds.reason(failure) }

    /// - Parameter who: `nil` for what nobody did.
    func sentence(_ who: String?, _ all: [Deed]) -> String {
        guard let first = all.first else { return who.map { words("\($0) ran") } ?? "" }
        guard let who, !first.isWhole else { return deeds.text(first) }
        return deeds.sentence(who, all)
    }

    /// The room of a lamp.
    func room(_ target: Target) -> String? {
        if case let .light(id) = target { home.roomOfLight[id]?.name } else { nil }
    }

    /// Who is told of a command.
    var scope: PageLogScope {
        let sender = Sender(message.ticket)
        switch message {
        case .lighting(.load, _), .lighting(.loading, _), .bridges(.discover, _), .bridges(.discovering, _),
            .dashboard(.move, _), .dashboard(.moving, _), .dashboard(.toggle, _), .dashboard(.toggling, _), .logging:
            return .everything
        case .lighting(.following, _): return .everything
        default: return sender.kind == .program ? .programs : .people
        }
    }

    // MARK: Runs

    var run: Run? {
        guard case let .automations(message, _) = message else { return nil }
        switch message {
        case let .started(_, named: name, run: run, reason):
            return Run(id: "run \(run)", who: who(automation: name), reason: reason.words(words))
        case let .ended(_, named: name, ended):
            guard let failure = ended.outcome.failure else {
                return Run(id: "run \(ended.run)", who: who(automation: name), isTold: false)
            }
            return Run(
                id: "run \(ended.run)", who: who(automation: name), reason: deeds.reason(failure), hasFailed: true)
        case let .skipped(id, named: name, because: reason):
            return Run(
                id: "skip \(id) \(self.message.ticket.time.milliseconds)", who: who(automation: name),
                sentence: words("{who} did not run"), reason: words(of: reason))
        default: return nil
        }
    }

    /// Timers have names of lightd's: "timer 3".
    private func who(automation name: String) -> String {
        name.hasPrefix("timer ") ? words("a timer").asBeginning : name.isolated
    }

    private func words(of reason: AutomationState.Skip.Reason) -> String {
        switch reason {
        case .condition(.check(.lightLevel(_, .below))), .condition(.not(.check(.lightLevel(_, .above)))):
            words("Too bright")
        case .condition(.check(.lightLevel(_, .above))), .condition(.not(.check(.lightLevel(_, .below)))):
            words("Too dark")
        case .condition: words("What it needs was not so")
        case .unknown: words("Nobody knew whether it should")
        case .running: words("It was running already")
        case .late: words("It was too late for it")
        case .tooOften: words("It had run too often")
        case .omitted: words("It was to be skipped once")
        }
    }

    // MARK: Facts

    var fact: Fact? {
        switch message {
        case let .lighting(.reported(update), _): fact(update)
        case .lighting(.reread, _): Fact(scope: .everything, sentence: words("Everything was read from a bridge."))
        case let .bridges(message, _): fact(message)
        case let .switches(.missed(binding, because: failure), _):
            Fact(
                scope: .people,
                sentence: words("\(deeds.sensor(binding.id)) did nothing: \(deeds.reason(failure))"))
        case let .following(message, _): fact(message)
        case let .presence(message, _): fact(message)
        case let .logging(.write(.error, text), _):
            Fact(scope: .people, sentence: words("Something could not be saved: \(String(text.prefix(200)).isolated)"))
        default: nil
        }
    }

    private func fact(_ update: BridgeUpdate) -> Fact? {
        switch update {
        case let .light(id, report): fact(id, report)
        case let .sensor(id, report): fact(id, report)
        case let .signal(id, _?): whole(words("\(deeds.name(of: .light(id))) blinks."))
        case .signal(_, nil), .home: nil
        case .firmware: whole(words("A bridge has new software."))
        case let .renamed(_, to: name): whole(words("New name: \(name.isolated)"))
        case let .added(.light(light)): whole(words("New lamp: \(light.name.isolated)"))
        case let .added(.room(room)): whole(words("New room: \(room.name.isolated)"))
        case let .added(.scene(scene)): whole(words("New scene: \(scene.name.isolated)"))
        case let .added(.sensor(sensor)): whole(words("New sensor: \(sensor.name.isolated)"))
        case let .changed(.room(room)): whole(words("\(room.name.isolated) has changed."))
        case let .changed(.scene(scene)): whole(words("\(scene.name.isolated) has changed."))
        case let .changed(.sensor(sensor)): whole(words("\(sensor.name.isolated) has changed."))
        case let .removed(.light(id)): whole(words("\(deeds.name(of: .light(id))) is gone."))
        case let .removed(.room(id)): whole(words("\(deeds.name(of: .room(id))) is gone."))
        case let .removed(.scene(id)): whole(words("\(deeds.scene(id)) is gone.").asBeginning)
        case let .removed(.sensor(id)): whole(words("\(deeds.sensor(id)) is gone."))
        }
    }

    private func whole(_ sentence: String) -> Fact { Fact(scope: .everything, sentence: sentence) }

    private func fact(_ id: Light.ID, _ report: Light.Report) -> Fact? {
        // A command that caused it has a line of its own.
        guard report.source?.ticket == nil else { return nil }
        let thing = deeds.thing(.light(id))
        if let reachable = report.reachable, report.source == nil || report.source == .power {
            return Fact(scope: .people, deed: Deed(reachable ? .answers : .silent, [thing]))
        }
        let deed = deed(of: report, at: thing)
        switch report.source {
        case let .accessory(name)?:
            let who = name.isEmpty ? words("wall switch") : words("wall switch \(name.isolated)")
            return Fact(scope: .people, who: who.asBeginning, deed: deed, isAutomatic: false)
        case .otherApp?:
            return Fact(
                scope: .people, who: words("another app or a switch").asBeginning, deed: deed, isAutomatic: false)
        case let .scene(scene, by: _)?:
            return Fact(
                scope: .people, who: words("another app").asBeginning,
                deed: Deed(.other(words("chose \(deeds.scene(scene))"))), isAutomatic: false)
        case .power?: return Fact(scope: .people, deed: Deed(.power, [thing]))
        case .unseen?, .command?, nil:
            let value = [
                report.values.power.map { $0 == .on ? words("on") : words("off") }, deeds.value(report.values).orNil,
            ]
            .compactMap(\.self).joined(separator: ", ")
            return value.isEmpty ? nil : whole(words("\(thing.name): \(value)"))
        }
    }

    private func deed(of report: Light.Report, at thing: Deed.Thing) -> Deed {
        let value = deeds.value(report.values)
        if report.values.power == .off { return Deed(.turned(.off), [thing]) }
        if report.values.power == .on || value.isEmpty { return Deed(.turned(.on), [thing]) }
        return Deed(.set(value), [thing])
    }

    private func fact(_ id: Sensor.ID, _ report: Sensor.Report) -> Fact? {
        let name = deeds.sensor(id)
        if let contact = report.contact {
            return Fact(
                scope: .people,
                sentence: contact == .open ? words("\(name) was opened.") : words("\(name) was closed."))
        }
        if report.tampering == true { return Fact(scope: .people, sentence: words("Somebody tampers with \(name).")) }
        if let reachable = report.reachable {
            return Fact(
                scope: .people,
                sentence: reachable ? words("\(name) answers again.") : words("\(name) does not answer."))
        }
        let parts = [
            report.motion.map { $0 ? words("motion") : words("no motion") },
            report.press.map { words("button \($0.button)") },
            report.rotation.map { _ in words("turned") },
            report.lightLevel.map { words("\($0.short) lux") },
            report.temperature.map { words("\($0.short) °C") },
            report.battery.map { words("battery \($0.wholePercent)%") },
        ].compactMap(\.self)
        return parts.isEmpty ? nil : whole(words("\(name): \(parts.joined(separator: ", "))"))
    }

    private func fact(_ message: Message.Bridges) -> Fact? {
        switch message {
        case let .connected(id, by: _): whole(words("\(deeds.bridge(id)) is connected.").asBeginning)
        case let .lost(id, because: _): whole(words("\(deeds.bridge(id)) is lost.").asBeginning)
        case let .joined(bridge): whole(words("The bridge \(bridge.name.isolated) is paired."))
        case let .seen(_, at: _, name: name, model: _): whole(words("Found the bridge \(name.isolated)."))
        case .discover, .discovering, .pair, .pairing, .forget, .forgetting: nil
        }
    }

    private func fact(_ message: Message.Following) -> Fact? {
        switch message {
        case let .paused(lights, _, _):
            whole(words("\(deeds.list(lights.map(Target.light))): left alone, because somebody changed it."))
        case let .resumed(lights): whole(words("\(deeds.list(lights.map(Target.light))): follows the day again."))
        case let .ended(.wakeUp, on: target): whole(words("The wake-up light of \(deeds.name(of: target)) has ended."))
        case let .ended(.sleep, on: target): whole(words("The sleep light of \(deeds.name(of: target)) has ended."))
        case let .ended(.curve, on: target): whole(words("The day's course of \(deeds.name(of: target)) has ended."))
        default: nil
        }
    }

    private func fact(_ message: Message.Presence) -> Fact? {
        switch message {
        case .planned: return whole(words("Away mode has planned what to turn on."))
        case let .ended(ending):
            switch ending.reason {
            case .over: return Fact(scope: .people, sentence: words("Away mode ended: its time is over."))
            case .noticed: return Fact(scope: .people, sentence: words("Away mode ended: somebody is at home."))
            // The command has a line.
            case .asked: return nil
            }
        default: return nil
        }
    }
}

extension AutomationRun.Reason {
    /// What has started it: "Motion: Hall motion"; empty for the clock, whose hour stands beside it.
    func words(_ words: Language) -> String {
        switch self {
        case let .hand(client): words("Started by \(Sender(holder: client).words(words))")
        case .trigger(_, late: _?): words("Later than it was due")
        case .trigger(.clock, late: nil): ""
        case let .trigger(.becomes(check, for: _), late: nil): check.words(words)
        case let .trigger(.press(sensor: name, _, _), late: nil): words("A button: \(name.meant(words))")
        }
    }
}

extension Automation.Check {
    /// That it has become true.
    fileprivate func words(_ words: Language) -> String {
        switch self {
        case let .motion(name, true): words("Motion: \(name.meant(words))")
        case let .motion(name, false): words("No more motion: \(name.meant(words))")
        case let .contact(name, isOpen: true): words("Opened: \(name.meant(words))")
        case let .contact(name, isOpen: false): words("Closed: \(name.meant(words))")
        case let .power(name, .on): words("Went on: \(name.meant(words))")
        case let .power(name, .off): words("Went off: \(name.meant(words))")
        case let .lightLevel(name, .below): words("It got dark: \(name.meant(words))")
        case let .lightLevel(name, .above): words("It got light: \(name.meant(words))")
        case let .temperature(name, .below): words("It got cold: \(name.meant(words))")
        case let .temperature(name, .above): words("It got warm: \(name.meant(words))")
        case .bridge(_, isConnected: true): words("A bridge is back")
        case .bridge(_, isConnected: false): words("A bridge is lost")
        }
    }
}

extension String {
    /// A name as an automation has it, "@Kitchen".
    fileprivate func meant(_ words: Language) -> String {
        if self == "all" { return words("all lamps") }
        return String(hasPrefix("@") ? dropFirst() : self[...]).isolated
    }

    fileprivate var orNil: String? { isEmpty ? nil : self }
}
