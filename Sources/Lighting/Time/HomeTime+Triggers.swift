public import Khipu

// Occurrences are found from the day they belong to, never by going through the time in between.
extension HomeTime {
    /// The first occurrence after a time; `nil` if none comes within 400 days.
    public func next(_ trigger: ClockTrigger, after time: Timestamp) -> Timestamp? {
        switch trigger {
        case .once, .after: return trigger.moment.flatMap { $0 > time ? $0 : nil }
        case let .at(_, days), let .every(_, _, _, days):
            guard !days.isEmpty else { return nil }
            let today = date(at: time)
            for day in trigger.days.lowerBound...400 {
                let date = today.advanced(by: day)
                guard days.contains(date.weekday) else { continue }
                if let next = occurrences(of: trigger, on: date)?.first(after: time) { return next }
            }
            return nil
        }
    }

    /// The last occurrence up to a time, if it is after `start`.
    public func last(_ trigger: ClockTrigger, after start: Timestamp, through time: Timestamp) -> Timestamp? {
        switch trigger {
        case .once, .after: return trigger.moment.flatMap { $0 > start && $0 <= time ? $0 : nil }
        case let .at(_, days), let .every(_, _, _, days):
            guard start < time, !days.isEmpty else { return nil }
            let today = date(at: time)
            let earliest = date(at: start).advanced(by: trigger.days.lowerBound)
            for day in -trigger.days.upperBound...400 {
                let date = today.advanced(by: -day)
                guard date >= earliest else { return nil }
                guard days.contains(date.weekday) else { continue }
                if let last = occurrences(of: trigger, on: date)?.last(through: time) {
                    return last > start ? last : nil
                }
            }
            return nil
        }
    }

    /// All occurrences after `start` up to `end`, in order.
    public func occurrences(of trigger: ClockTrigger, after start: Timestamp, through end: Timestamp) -> [Timestamp] {
        Array(
            sequence(first: start) { next(trigger, after: $0) }
                .dropFirst().prefix { $0 <= end })
    }

    /// Those that belong to this day.
    private func occurrences(of trigger: ClockTrigger, on date: CivilDate) -> Occurrences? {
        switch trigger {
        case let .at(moment, _): return instant(of: moment, on: date).map { Occurrences(start: $0, end: $0, step: 1) }
        case let .every(step, from, to, _):
            // The window may begin where the sun's moment only counts as being.
            guard case let step = step.milliseconds, step > 0, instant(of: from, on: date) != nil || !from.needsPlace,
                let window = window(from: from, to: to, on: date)
            else { return nil }
            return Occurrences(
                start: window.lowerBound, end: Timestamp(milliseconds: window.upperBound.milliseconds - 1), step: step)
        case .once, .after: return nil
        }
    }

    /// Every `step` milliseconds from `start` through `end`.
    private struct Occurrences {
        let start: Timestamp
        let end: Timestamp
        let step: Int64

        func first(after time: Timestamp) -> Timestamp? {
            guard time >= start else { return start }
            let next = start.milliseconds + ((time.milliseconds - start.milliseconds) / step + 1) * step
            return next <= end.milliseconds ? Timestamp(milliseconds: next) : nil
        }

        func last(through time: Timestamp) -> Timestamp? {
            guard time >= start else { return nil }
            let last = min(time, end).milliseconds
            return Timestamp(milliseconds: last - (last - start.milliseconds) % step)
        }
    }
}

extension ClockTrigger {
    /// The days, counted from the calendar's, to which an occurrence may belong: a time of tomorrow is shown today if the
    /// clock is set back over midnight; the sun sets after midnight, and an offset leads farther; a window lasts until
    /// the next day.
    fileprivate var days: ClosedRange<Int> {
        switch self {
        case .at(.time, _): 0...1
        case .at(.sun, _): -1...1
        case .every: -2...1
        case .once, .after: 0...0
        }
    }
}

extension Duration {
    /// In whole milliseconds.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
