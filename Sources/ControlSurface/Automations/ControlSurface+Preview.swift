public import ControlProtocol
import Khipu
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
                    prevented: known.first { $0.holds == false }?.condition.description,
                    steps: automation.steps.map(\.description), missing: home.missing(in: automation).nilIfEmpty)
            })
    }

    /// As a clock in the home shows it: "08:12".
    func clockText(_ instant: Timestamp) -> String {
        String(time.timeOfDay(at: instant).description.prefix(5))
    }
}
