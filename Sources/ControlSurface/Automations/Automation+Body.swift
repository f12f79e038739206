import AutomationFiles
import CommandGrammar
import ControlProtocol
import FoundationEssentials
import HashTreeCollections
import Khipu
import Lighting

extension Directory {
    /// Those that a person has written, in the order of their file.
    func automationBodies(at now: Timestamp, in time: HomeTime) -> [AutomationBody] {
        state.automations.lasting.map { body(of: $0, at: now, in: time) }
    }

    /// Those that wait for their time, then those that have begun.
    func timerBodies(at now: Timestamp, in time: HomeTime) -> [AutomationBody] {
        state.automations.timers.map { body(of: $0, at: now, in: time) }
    }

    func body(of automation: Automation, at now: Timestamp, in time: HomeTime) -> AutomationBody {
        let state = state.automations
        var client: String?
        if case let .once(by: name) = automation.kind { client = name }
        let isDue = automation.isEnabled && state.automations[automation.id] != nil
        return AutomationBody(
            name: automation.name, enabled: automation.isEnabled, when: automation.triggers.map(\.whenText),
            conditions: automation.conditions.map(\.description), steps: automation.steps.map(\.description),
            mode: automation.mode, late: automation.lateness?.description, by: client,
            next: isDue ? state.next(automation, at: now, in: time)?.iso8601(in: time) : nil,
            pausedUntil: state.paused[automation.id].flatMap { $0 > now ? $0.iso8601(in: time) : nil },
            running: state.runs.filter { $0.automation.id == automation.id }.map { $0.body(in: self, time) },
            runs: (state.ended[automation.id] ?? []).map { $0.body(in: self, time) },
            skipping: state.omissions[automation.id]?.time.iso8601(in: time),
            skipped: state.skipped[automation.id].map {
                .init(time: $0.time.iso8601(in: time), reason: $0.reason.words)
            },
            missing: missing(in: automation).nilIfEmpty)
    }

    /// - Throws: `noSuchTarget` with what may be meant.
    func automation(named name: String) throws(ErrorReply) -> Automation {
        let found = state.automations.automations[Automation.ID(name)]
        guard let found, !found.isTimer else { throw noAutomation(name) }
        return found
    }

    func noAutomation(_ name: String) -> ErrorReply {
        let names = state.automations.lasting.map(\.name)
        return ErrorReply(
            .noSuchTarget, "there is no automation '\(name)'",
            hint: names.isEmpty ? "'lightctl automation apply FILE' makes some" : nil,
            candidates: closest(to: name, in: names).map { [$0] })
    }

    /// - Parameter text: "timer 3", or "3".
    func timer(named text: String) throws(ErrorReply) -> Automation.ID {
        let id = Automation.ID(Int(text) == nil ? text : "timer \(text)")
        guard state.automations.timers.contains(where: { $0.id == id }) else {
            throw ErrorReply(.noSuchTarget, "there is no timer '\(text)'", hint: "'lightctl timers' lists them")
        }
        return id
    }
}

extension AutomationRun {
    fileprivate func body(in home: Directory, _ time: HomeTime) -> AutomationRunBody {
        AutomationRunBody(
            reason: reason.words, started: started.iso8601(in: time), step: currentStep?.description,
            until: until?.iso8601(in: time),
            error: outcome.failure?.words(in: home))
    }
}

extension AutomationRun.Ended {
    fileprivate func body(in home: Directory, _ time: HomeTime) -> AutomationRunBody {
        AutomationRunBody(
            reason: reason.words, started: started.iso8601(in: time), ended: ended.iso8601(in: time),
            error: outcome.failure?.words(in: home))
    }
}

extension Array {
    var nilIfEmpty: Self? { isEmpty ? nil : self }
}

extension Automation.Trigger {
    /// Of a timer that waits for time to pass: when that is over.
    fileprivate var whenText: String {
        guard case let .clock(trigger) = self, let moment = trigger.moment else { return description }
        return "\(ClockTrigger.once(moment))"
    }
}

extension Command {
    /// With the moment of a timer in the home's time: "2026-12-24T17:30" is half past five there.
    ///
    /// - Throws: `invalid` for a moment that cannot be read, comes more than once, is past, or would never come because
    ///   lightd does not know where the home is; `cannot` for an hour by a clock that cannot be right.
    func timed(by time: HomeTime, at now: Timestamp) throws(ErrorReply) -> Command {
        guard case let .schedule(steps, at: text?, seconds) = self else { return self }
        let trigger: ClockTrigger
        do throws(TimeTextError) {
            var reader = TimeReader(text)
            trigger = try reader.clockTrigger(in: time)
            try reader.end()
        } catch {
            throw ErrorReply(.invalid, "'at' is '\(text)': \(error)", hint: "a time such as 22:30 or sunset - 20m")
        }
        switch trigger {
        case .every:
            throw ErrorReply(
                .invalid, "'\(text)' comes more than once, and a timer runs once",
                hint: "'lightctl automation' is for what runs again and again")
        case _ where trigger.moment.map { $0 <= now } ?? false:
            throw ErrorReply(.invalid, "'\(text)' is past", hint: "it is \(now.iso8601(in: time)) in the home")
        case .at where !now.isPlausible:
            throw ErrorReply(
                .cannot, "nobody knows when '\(text)' is: \(now.wrongClockWords)",
                hint: "set the clock, or say how long to wait: 'in 20m'")
        case .at, .once, .after: break
        }
        guard time.place != nil || !trigger.needsPlace else {
            throw ErrorReply(.invalid, "'\(text)' never comes", hint: Automation.placeIsMissing)
        }
        return .schedule(steps: steps, at: "\(trigger)", after: seconds)
    }
}

extension Automation {
    /// What `schedule` asks for. It gets its name when it is added.
    ///
    /// - Throws: `invalid` for a step or a moment that cannot be read; `noSuchTarget` or `ambiguousTarget` if nothing
    ///   has the name that a command is for, or several things have.
    init(
        timer texts: [String], at moment: String?, after seconds: Double?, now: Timestamp, in home: Directory
    ) throws(ErrorReply) {
        guard moment == nil || seconds == nil else {
            throw ErrorReply(.invalid, "'schedule' takes 'at' or 'after', not both")
        }
        var steps: [Step] = []
        for text in texts {
            do throws(TextError) {
                steps += try Step.steps(from: text)
            } catch {
                throw ErrorReply(.invalid, "'\(text)', \(error)")
            }
        }
        // Who sets a timer means what is there now.
        for case let .command(command) in steps {
            do throws(ErrorReply) {
                _ = try CommandRequest(json: command.data).command.resolved(in: home, at: now)
            } catch  where [.noSuchTarget, .ambiguousTarget].contains(error.error.code) {
                throw error
            } catch {}
        }
        var triggers: [Trigger] = []
        if let seconds {
            let wait = Duration.seconds(seconds)
            // What is longer than a year is planned by the calendar.
            let isCounted = ClockTrigger.waits.contains(wait)
            triggers = [.clock(isCounted ? .after(wait, since: now) : .once(now.advanced(by: wait)))]
        }
        if let moment {
            do throws(TimeTextError) {
                triggers = [.clock(try ClockTrigger(moment))]
            } catch {
                throw ErrorReply(.invalid, "'at' is '\(moment)': \(error)")
            }
        }
        self.init(name: "timer", triggers: triggers, steps: steps, kind: .once(by: ""))
    }

    /// The timer of this client.
    func asked(by client: String) -> Automation {
        Automation(name: name, triggers: triggers, steps: steps, kind: .once(by: client))
    }
}

extension StoredCommand {
    var data: Data { Data(json.utf8) }
}

extension Message.Automations {
    func words(in home: Directory) -> String {
        switch self {
        case let .replace(automations, keepsOthers: keeps, insteadOf: _):
            "\(keeps == true ? "add" : "apply") \(counted(automations.count, "automation"))"
        case let .replacing(difference, _): "apply automations: \(difference.words)"
        case let .enable(id, isEnabled), let .enabling(id, isEnabled, _):
            "\(isEnabled ? "enable" : "disable") \(home.name(of: id))"
        case let .skip(id, isSkipped), let .skipping(id, isSkipped, _):
            "\(isSkipped ? "skip" : "do not skip") \(home.name(of: id)) once"
        case let .remove(id), let .removing(id, _): "remove \(home.name(of: id))"
        case let .run(id), let .running(id, _): "run \(home.name(of: id))"
        case let .stop(id), let .stopping(id, _): "stop \(home.name(of: id))"
        case let .schedule(automation): "set a timer: \(automation.stepWords)"
        case let .scheduling(id, _): "set \(id)"
        case let .started(_, named: name, run: _, reason): "'\(name)' starts: \(reason.words)"
        case let .ended(_, named: name, ended):
            "'\(name)' ends" + (ended.outcome.failure.map { ": \($0.words(in: home))" } ?? "")
        case let .skipped(_, named: name, because: reason): "'\(name)' does not run: \(reason.words)"
        case .saved: "the automations are saved"
        }
    }
}

extension Message.Automations.Difference {
    var words: String {
        let parts = [(added, "added"), (changed, "changed"), (removed, "removed")].filter { !$0.0.isEmpty }
        return parts.isEmpty
            ? "nothing changes" : parts.map { "\($0.1) \($0.0.joined(separator: ", "))" }.joined(separator: "; ")
    }
}

extension Directory {
    /// The automation or timer that a response is about, if it still exists.
    func automation(of response: Message.Automations) -> Automation? {
        switch response {
        case let .enabling(id, _, _), let .skipping(id, _, _), let .running(id, _), let .stopping(id, _),
            let .scheduling(id, _):
            state.automations.automations[id] ?? state.automations.runs.last { $0.automation.id == id }?.automation
        default: nil
        }
    }

    func name(of automation: Automation.ID) -> String {
        "'\(state.automations.automations[automation]?.name ?? automation.description)'"
    }
}

extension Automation {
    var stepWords: String { steps.map(\.description).joined(separator: ", ") }
}

extension AutomationRun.Reason {
    var words: String {
        switch self {
        case let .trigger(trigger, late: late): "\(trigger)" + (late.map { ", \($0.words) late" } ?? "")
        case let .hand(client): "asked for by \(client)"
        }
    }
}

extension AutomationState.Skip.Reason {
    var words: String {
        switch self {
        case let .condition(condition): "not '\(condition)'"
        case let .unknown(condition): "nobody knows whether '\(condition)'"
        case .running: "it is running already"
        case let .omitted(by: holder): "\(SenderText.brief(holder)) wanted it skipped once"
        case let .late(time): "it was due \(time.words) ago"
        case .tooOften:
            "it has started \(AutomationState.mostStarts) times or more within a minute, perhaps because of what it does "
                + "itself, or because a sensor chatters; it pauses for a while, or until 'lightctl automation enable'"
        }
    }
}
