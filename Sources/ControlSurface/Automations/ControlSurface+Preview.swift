import AutomationFiles
public import ControlProtocol
import FoundationEssentials
import HashTreeCollections
public import Khipu
import Lighting

extension ControlSurface {
    /// A day with its sun times, and what the clock would start on it.
    ///
    /// - Parameter text: "2026-12-24", or "today", "tomorrow", "yesterday"; today if `nil`.
    /// - Throws: `invalid` for a text that is not a date.
    public func preview(of text: String?) throws(ErrorReply) -> AutomationPreviewBody {
        let now = clock.now()
        var date = time.date(at: now)
        if let text, let day = day(text) {
            date = day
        } else if let text {
            var reader = TimeReader(text)
            do throws(TimeTextError) {
                date = try reader.date()
                try reader.end()
            } catch {
                throw ErrorReply(.invalid, "'date' is '\(text)': \(error)")
            }
        }
        let midnight = Moment.time(TimeOfDay(seconds: 0))
        guard let start = time.instant(of: midnight, on: date),
            let end = time.instant(of: midnight, on: date.advanced(by: 1))
        else { throw ErrorReply(.invalid, "the home's calendar has no \(date)") }
        let events: [SunEvent] = [.dawn, .sunrise, .noon, .sunset, .dusk]
        let sun = events.compactMap { event in
            time.instant(of: .sun(event), on: date).map { (name: event.rawValue, time: $0) }
        }
        let home = directory
        let automations = home.state.automations
        let runs = automations.all.filter(\.isEnabled).flatMap { automation in
            automation.triggers.enumerated().flatMap { index, trigger -> [(Timestamp, Automation, ClockTrigger)] in
                guard case let .clock(trigger) = trigger else { return [] }
                // After the last moment of the day before, and before the first of the next.
                let occurrences = time.occurrences(
                    of: trigger, after: start.advanced(by: .milliseconds(-1)),
                    through: end.advanced(by: .milliseconds(-1)))
                // A timer runs once.
                let only = automation.isTimer ? automations.next(automation, at: now, in: time) : nil
                // After the clock was set back, what came already does not come again.
                let done = automations.done(automation.id, trigger: index, at: now)
                return occurrences.filter { automation.isTimer ? $0 == only : $0 <= now || $0 > done }
                    .map { ($0, automation, trigger) }
            }
        }
        return AutomationPreviewBody(
            date: "\(date)", weekday: date.weekday.description,
            sun: sun.map { .init(name: $0.name, at: clockText($0.time)) },
            runs: runs.sorted { $0.0 < $1.0 }.map { instant, automation, trigger in
                // What depends on the home is not known in advance.
                let known = automation.conditions.map { condition in
                    (condition: condition, holds: time.holds(condition, at: instant) { _ in nil })
                }
                return .init(
                    at: clockText(instant), time: instant.iso8601, automation: automation.name,
                    when: trigger.description,
                    conditions: known.filter { $0.holds == nil }.map(\.condition.description),
                    prevented: automations.omissions[automation.id]?.time == instant
                        ? "skipped once" : known.first { $0.holds == false }?.condition.description,
                    steps: automation.steps.map(\.description), missing: home.missing(in: automation).nilIfEmpty)
            })
    }

    /// As a clock in the home shows it: "08:12".
    func clockText(_ instant: Timestamp) -> String {
        String(time.timeOfDay(at: instant).description.prefix(5))
    }
}

extension ControlSurface {
    /// What the automations of a file would have done in a time that is over, by the journal. Nothing changes, and nothing
    /// is sent.
    ///
    /// - Parameters:
    ///   - start: a week before the end if `nil`.
    ///   - end: now if `nil`.
    /// - Throws: `wrongFile`, with a part for each mistake; `invalid` for a time that cannot be simulated; `cannot` if
    ///   there is no journal.
    public func simulate(
        _ yaml: String, from start: Timestamp?, until end: Timestamp?, for client: String
    ) async throws -> AutomationSimulationBody {
        let file = try AutomationFile(reading: yaml, without: "simulated", in: time)
        let now = clock.now()
        let end = min(end ?? now, now)
        let start = start ?? end.advanced(by: .seconds(-7 * 86_400))
        guard start < end else { throw ErrorReply(.invalid, "the time to simulate ends before it begins") }
        guard end.since(start) <= Self.longestSimulation else {
            throw ErrorReply(.invalid, "the time to simulate is longer than 31 days")
        }
        guard journalIsOn else {
            throw ErrorReply(
                .cannot, "the journal is off, so that nothing is known of that time",
                hint: "set 'journal.enabled' in lightd.yaml")
        }
        let state = await store.state()
        let home = Directory(state, in: time)
        let (automations, settling) = home.settled(file, resolver)
        let simulation: Simulation
        do {
            simulation = try await Lighting.simulate(
                automations, on: state, time: time, resolve: Self.resolver(in: home), from: start, through: end
            ) { [self] in try await entries($0, for: client) }
        } catch let failure as Failure {
            throw failure.reply(in: home)
        }
        var warnings = settling + home.warnings(about: automations, of: file, at: now, in: time)
        warnings += automations.flatMap { automation in
            automation.measuredChecks.map {
                file.warning(
                    "'\($0)': the journal does not tell what sensors measure; it is taken as it is now",
                    about: automation)
            }
        }
        var notes: [String] = []
        if let first = simulation.firstEntry {
            if first > start { notes.append("the journal begins at \(first.iso8601)") }
        } else {
            notes.append("the journal tells nothing of that time")
        }
        return AutomationSimulationBody(
            since: start.iso8601, until: end.iso8601, runs: simulation.runs.map { body(of: $0, in: home) },
            warnings: warnings, notes: notes)
    }

    /// Longer than the journal usually remembers.
    private static let longestSimulation = Duration.seconds(31 * 86_400)

    private func body(of run: Simulation.Run, in home: Directory) -> AutomationSimulationBody.Run {
        let date = time.date(at: run.time)
        var body = AutomationSimulationBody.Run(
            date: "\(date)", weekday: date.weekday.description, at: clockText(run.time), time: run.time.iso8601,
            automation: run.automation,
            commands: run.commands.map {
                .init(
                    at: clockText($0.ticket.time), time: $0.ticket.time.iso8601, text: $0.words(in: home))
            },
            error: run.outcome?.failure?.words(in: home))
        switch run.start {
        case let .began(reason): body.reason = reason.words
        case let .skipped(reason): body.prevented = reason.words
        }
        return body
    }
}
