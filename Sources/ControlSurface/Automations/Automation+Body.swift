import AutomationFiles
import ControlProtocol
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
            mode: automation.mode.body, late: automation.lateness?.description, by: client,
            next: isDue ? state.next(automation, at: now, in: time)?.iso8601(in: time) : nil,
            pausedUntil: state.paused[automation.id].flatMap { $0 > now ? $0.iso8601(in: time) : nil },
            running: state.runs.filter { $0.automation.id == automation.id }.map { $0.body(in: self, time) },
            runs: (state.ended[automation.id] ?? []).map { $0.body(in: self, time) },
            skipped: state.skipped[automation.id].map {
                .init(time: $0.time.iso8601(in: time), reason: $0.reason.words)
            },
            missing: missing(in: automation).nilIfEmpty)
    }

    /// - Throws: `noSuchTarget` with what may be meant.
    func automation(named name: String) throws(ErrorReply) -> Automation {
        let found = state.automations.automations[Automation.ID(name)]
        guard let found, !found.isTimer else {
            let names = state.automations.lasting.map(\.name)
            throw ErrorReply(
                .noSuchTarget, "there is no automation '\(name)'",
                hint: names.isEmpty ? "'lightctl automation apply FILE' makes some" : nil,
                candidates: closest(to: name, in: names).map { [$0] })
        }
        return found
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

extension Automation.Mode {
    fileprivate var body: AutomationBody.Mode {
        switch self {
        case .single: .single
        case .restart: .restart
        }
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
