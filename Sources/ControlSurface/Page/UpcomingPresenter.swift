import ControlProtocol
import FoundationEssentials
import HashTreeCollections
import Khipu
import Languages
import Lighting
import Synchronization

/// Makes what a page says of the time to come.
struct UpcomingPresenter {
    private let home: Directory
    private let reader: PageReader
    private let words: Language
    private let sentences: AutomationWords
    private let due: [Automation.ID: Due]

    /// More are no timetable.
    private static let most = 24

    init(_ home: Directory, _ reader: PageReader) {
        (self.home, self.reader, words) = (home, reader, reader.language)
        sentences = AutomationWords(home: home, words: reader.language)
        due = home.due
    }

    private var automations: AutomationState { home.state.automations }
    private var mayChange: Bool { reader.access >= .control }

    /// What goes on, the next to end first; then what is to come, the next first.
    var upcoming: [PageUpcoming] {
        let now = (runs + courses + timers + away).sorted { one, other in
            (one.at ?? "~", one.id) < (other.at ?? "~", other.id)
        }
        return Array((now + clock.sorted { ($0.at ?? "~", $0.id) < ($1.at ?? "~", $1.id) }).prefix(Self.most))
    }

    // MARK: What goes on

    private var runs: [PageUpcoming] {
        automations.runs.filter(\.phase.isWaiting).map { run in
            let automation = run.automation
            let next = automation.steps.dropFirst(run.step + 1).prefix(1)
            var (since, text): (Timestamp?, String) = (nil, "")
            switch run.phase {
            case let .waiting(from, _): since = from
            case let .waitingFor(start, until):
                since = start ?? until.map { _ in run.started }
                if case let .waitFor(check, _, _)? = run.currentStep {
                    text = words("waits: \(sentences.check(check))").withCapital
                }
            default: break
            }
            let title = next.first.map { self.title(of: $0, in: run) }
            if case let .once(by: client) = automation.kind {
                return PageUpcoming(
                    id: "run/\(run.id)", kind: .timer, title: (title ?? sentences.steps(automation.steps)).withCapital,
                    text: words("Asked for: \(sender(client))"), since: since?.iso8601,
                    at: run.nextLook?.iso8601, skipped: false, automation: nil,
                    action: action(
                        words("Keep on"), "cancel_timer", ["timer": .text(automation.name)],
                        words("It stays as it is.")))
            }
            return PageUpcoming(
                id: "run/\(run.id)", kind: .run, title: automation.name.asName,
                text: [text, title.map { words("then \($0)") } ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
                    .withCapital,
                since: since?.iso8601, at: run.nextLook?.iso8601, skipped: false, automation: automation.name,
                action: action(
                    words("Stop"), "stop_automation", ["automation": .text(automation.name)],
                    words("\(automation.name.asName) was stopped.")))
        }
    }

    /// What is done next. "Hall off" if the lights that are to be as before were off.
    private func title(of step: Automation.Step, in run: AutomationRun) -> String {
        guard case let .restore(target) = step, !run.before.isEmpty, run.before.allSatisfy({ $0.power == .off }) else {
            return sentences.step(step)
        }
        return sentences.turned(target, .off)
    }

    /// What somebody wants done later. After a while it is as what runs; at an hour it is as what the clock starts.
    private var timers: [PageUpcoming] { waiting.filter { $0.since != nil } }

    private var waiting: [PageUpcoming] {
        automations.all.compactMap { timer -> PageUpcoming? in
            guard case let .once(by: client) = timer.kind, let due = due[timer.id] else { return nil }
            var since: Timestamp?
            if case let .after(_, since: start) = due.trigger { since = start }
            return PageUpcoming(
                id: "timer/\(timer.id)", kind: .timer, title: sentences.steps(timer.steps).withCapital,
                text: words("Asked for: \(sender(client))"), since: since?.iso8601,
                at: due.time.iso8601, skipped: false, automation: nil,
                action: action(
                    words("Cancel"), "cancel_timer", ["timer": .text(timer.name)], words("The timer was cancelled.")))
        }
    }

    private var courses: [PageUpcoming] {
        home.state.followings.all.compactMap { following in
            guard following.id.isTimed, let until = following.until else { return nil }
            let name = sentences.name(of: following.target)
            let isWakeUp = if case .wakeUp = following.course { true } else { false }
            return PageUpcoming(
                id: "course/\(following.target.key)", kind: .course,
                title: (isWakeUp ? words("wake-up in \(name)") : words("\(name) slowly off")).withCapital,
                text: isWakeUp ? words("Full light at {due}") : words("Off at {due}"),
                since: following.started.iso8601, at: until.iso8601, skipped: false, automation: nil,
                action: action(
                    words("Stop"), "unfollow", ["target": .text(following.target.text), "timed": .flag(true)],
                    words("Stopped: the lights stay as they are.")))
        }
    }

    private var away: [PageUpcoming] {
        guard let replay = home.state.presence, replay.isGoingOn else { return [] }
        return [
            PageUpcoming(
                id: "away", kind: .away,
                title: replay.settings.until == nil ? words("Away") : words("Away until {due}"),
                text: words("Lights come on as in the last weeks, until somebody is back"), since: nil,
                at: replay.settings.until?.iso8601, skipped: false, automation: nil,
                action: action(words("Off"), "away", ["to": .text("off")], words("You are back: away is off.")))
        ]
    }

    // MARK: What is to come

    private var clock: [PageUpcoming] {
        let atAnHour = waiting.filter { $0.since == nil }
        let started = automations.lasting.compactMap { automation in
            due[automation.id].map { next(of: automation, $0) }
        }
        return atAnHour + started
    }

    private func next(of automation: Automation, _ due: Due) -> PageUpcoming {
        let omission = automations.omissions[automation.id]
        let name = automation.name.asName
        let fields = ["automation": PageAction.Field.text(automation.name)]
        let skip = action(
            words("Skip once"), "skip_automation", fields,
            due.after == nil
                ? words("\(name) is skipped once.") : words("Skipped once. \(name) runs again: {due}."),
            at: due.after)
        let unskip = action(
            words("Don't skip"), "unskip_automation", fields, words("\(name) runs after all: {due}."), at: due.time)
        return PageUpcoming(
            id: "automation/\(automation.id)", kind: .next, title: name,
            text: omission.map { words("Skipped once (\(sender($0.holder)))") } ?? why(automation, due.trigger),
            since: nil, at: due.time.iso8601, skipped: omission != nil, automation: automation.name,
            action: omission == nil ? skip : unskip)
    }

    /// "Sunset − 20 min, if Living off: Stove on". What is known already is not said.
    private func why(_ automation: Automation, _ trigger: ClockTrigger) -> String {
        let open = automation.conditions.filter { condition in
            home.time.holds(condition, at: due[automation.id]?.time ?? .earliestPlausible) { _ in nil } == nil
        }
        var start = open.map { sentences.qualifier($0) }
        // An hour stands beside it.
        if case .at(.time, .all) = trigger {} else { start.insert(sentences.clock(trigger), at: 0) }
        let steps = sentences.steps(automation.steps)
        return (start.isEmpty ? steps : "\(start.joined(separator: ", ")): \(steps)").withCapital
    }

    private func sender(_ holder: String) -> String { Sender(holder: holder).words(words) }

    private func action(
        _ title: String, _ command: String, _ fields: [String: PageAction.Field], _ said: String,
        at time: Timestamp? = nil
    ) -> PageAction? {
        guard mayChange else { return nil }
        return PageAction(title: title, command: command, fields: fields, said: said, at: time?.iso8601)
    }

    // MARK: All automations

    /// The next to run first, then the others in the order of their file.
    var list: [PageAutomation] {
        let lasting = automations.lasting
        let order = lasting.enumerated().sorted { one, other in
            let times = [one, other].map { due[$0.element.id]?.time.milliseconds ?? .max }
            return (times[0], one.offset) < (times[1], other.offset)
        }
        return order.map { entry(of: $0.element) }
    }

    private func entry(of automation: Automation) -> PageAutomation {
        let runs = automations.runs.filter { $0.automation.id == automation.id }
        let due = due[automation.id]
        let isSkipped = automations.omissions[automation.id] != nil
        var lines: [PageAutomation.Line] = []
        func line(_ text: String, _ time: Timestamp? = nil, failed: Bool = false) {
            lines.append(.init(text: text.withCapital, at: time?.iso8601, failed: failed))
        }
        if let run = runs.last {
            if case let .waitFor(check, _, _)? = run.currentStep, run.phase.isWaiting {
                line(words("runs now, and waits: \(sentences.check(check))"))
            } else if let next = run.automation.steps.dropFirst(run.step + 1).first, run.phase.isWaiting {
                line(words("runs now, then \(title(of: next, in: run)): {due}"), run.nextLook)
            } else {
                line(words("runs now"))
            }
        } else if let until = automations.paused[automation.id] {
            line(words("pauses until {due}, because it started too often"), until, failed: true)
        } else if let due {
            line(isSkipped ? words("skipped once: {due}") : words("next: {due}"), due.time)
        }
        let ran = automations.ended[automation.id]?.first
        let skip = automations.skipped[automation.id]
        if let skip, skip.time > ran?.started ?? Timestamp(milliseconds: 0) {
            line(words("did not run at {clock}: \(why(skip.reason))"), skip.time)
        } else if let ran, let failure = ran.outcome.failure {
            // lightd knows more of it in English.
            let reason =
                words == .english ? failure.words(in: home).asName : DeedWords(home: home, words: words).reason(failure)
            line(words("ran at {clock}: \(reason)"), ran.started, failed: true)
        } else if let ran {
            line(words("ran at {clock}"), ran.started)
        }
        for missing in home.missing(in: automation, words) { line(missing.asName, failed: true) }
        return PageAutomation(
            name: automation.name, text: sentences.sentence(automation), enabled: automation.isEnabled,
            running: !runs.isEmpty, skipped: isSkipped, next: due?.time.iso8601, lines: lines)
    }

    private func why(_ reason: AutomationState.Skip.Reason) -> String {
        switch reason {
        case .condition(.check(.lightLevel(_, .below))): words("too bright")
        case .condition(.check(.lightLevel(_, .above))): words("too dark")
        case let .condition(condition): words("only if \(sentences.condition(condition))")
        case let .unknown(condition): words("nobody knows whether \(sentences.condition(condition))")
        case .running: words("it was running already")
        case let .late(time): words("it was due \(sentences.time(time)) earlier")
        case .tooOften: words("it started too often")
        case let .omitted(by: holder): words("skipped once (\(sender(holder)))")
        }
    }
}

/// What the clock starts next of an automation.
struct Due: Sendable {
    let trigger: ClockTrigger
    let time: Timestamp
    /// When it starts it again.
    let after: Timestamp?
}

/// What is due in the states that were asked for last: nearly all changes of a home change nothing of it, and where the
/// sun is costs time.
final class DueMemory: Sendable {
    private struct Entry: Sendable {
        let state: AutomationState
        let time: HomeTime
        let due: [Automation.ID: Due]
    }

    /// Two, because the state before a change is compared with the one after it.
    private let newest = Mutex<[Entry]>([])

    func due(in state: AutomationState, _ time: HomeTime) -> [Automation.ID: Due] {
        let known = newest.withLock { $0.first { $0.time == time && $0.state.isPlanned(like: state) }?.due }
        if let known { return known }
        let due = state.all.reduce(into: [Automation.ID: Due]()) { due, automation in
            guard automation.isEnabled, let next = state.due(automation, after: nil, in: time) else { return }
            due[automation.id] = Due(
                trigger: next.trigger, time: next.time,
                after: automation.isTimer ? nil : state.due(automation, after: next.time, in: time)?.time)
        }
        newest.withLock { $0 = Array(([Entry(state: state, time: time, due: due)] + $0).prefix(2)) }
        return due
    }
}
