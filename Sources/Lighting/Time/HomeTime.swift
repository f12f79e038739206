public import Khipu

/// The time of a home: its zone, and where the sun stands above it.
public struct HomeTime: Hashable, Sendable {
    public let zone: CivilZone
    /// Without it, the sun's moments never come.
    public let place: Place?

    public init(zone: CivilZone, place: Place? = nil) {
        self.zone = zone
        self.place = place
    }

    public static let utc = Self(zone: .utc)

    /// The day that the home's calendar shows.
    public func date(at time: Timestamp) -> CivilDate { zone.date(at: time) }

    /// The time that the home's clocks show.
    public func timeOfDay(at time: Timestamp) -> TimeOfDay { zone.timeOfDay(at: time) }

    /// When a moment of a day is. A time that is skipped when the clocks change is at the change; one that comes twice
    /// is the first of the two. The sun's moments of a day are those around its solar noon: a sunset after midnight
    /// belongs to the day before.
    ///
    /// - Returns: `nil` if it does not come on this day: the sun does not set, the day is skipped by the calendar, or
    ///   the place is unknown.
    public func instant(of moment: Moment, on date: CivilDate) -> Timestamp? {
        switch moment {
        case let .time(time): return zone.instant(of: time, on: date)
        case let .sun(event, offset):
            guard let (sun, noon) = solarDay(date), case let .happens(time) = sun.course(of: event, around: noon) else {
                return nil
            }
            return time.advanced(by: offset)
        }
    }

    /// How high the sun's centre is, in degrees, without refraction: it rises and sets at -0.833, and dawn and dusk are
    /// at -6. `nil` if the place is unknown.
    public func elevation(at time: Timestamp) -> Double? {
        place.map { Sun(place: $0).elevation(at: time) }
    }

    /// The sun and its noon of this day; `nil` if the day is skipped or the place is unknown.
    func solarDay(_ date: CivilDate) -> (sun: Sun, noon: Timestamp)? {
        guard let place, let noon = zone.instant(of: .noon, on: date) else { return nil }
        let sun = Sun(place: place)
        return (sun, sun.noon(nearest: noon))
    }
}

/// Where the home is, for the sun.
public struct Place: Hashable, Sendable {
    /// Degrees north, -90 to 90.
    public let latitude: Double
    /// Degrees east, -180 to 180.
    public let longitude: Double

    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

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

// What "between A and B" means.
//
// Each day has one window, possibly an empty one. Between two times of the clock, or two moments of the sun, the end is
// the first that comes after the beginning in a usual day: "between 23:00 and 06:00" ends on the next day. Between the
// sun and the clock, which of them is first depends on the season: "between sunset and 23:30" must not last until the
// next evening in June, when the sun sets at 23:40. There, the time is the one in the 24 hours that belong to the sun's
// moment: from noon to noon for the night ("sunset and 23:30", "06:45 and sunrise"), from 3:00 or to 21:00 for the day
// ("sunrise and 22:00", "08:00 and sunset"), by the sun. If the end is not after the beginning, the window is empty.
//
// On days on which the sun stays down, sunrise and sunset count as at its noon: the day has no length. On days on which
// it stays up, they count as at its midnight: the night has no length. The same goes for dawn and dusk.
extension HomeTime {
    /// Whether a time is in a day's window: from `start` on, and before `end`. From a moment to itself, it always is.
    /// Never if one of them is the sun's and the place is unknown.
    public func isBetween(_ start: Moment, _ end: Moment, at time: Timestamp) -> Bool {
        let today = date(at: time)
        // Mostly it is today's window, or last night's.
        return [0, -1, 1, -2].contains {
            window(from: start, to: end, on: today.advanced(by: $0))?.contains(time) == true
        }
    }

    /// The window that begins on this day; `nil` if it is empty or the day is skipped.
    func window(from start: Moment, to end: Moment, on date: CivilDate) -> Range<Timestamp>? {
        let bounds: (Timestamp, Timestamp)?
        switch (start, end) {
        case let (.time(start), .time(end)):
            bounds = zone.instant(of: start, on: date).map {
                ($0, zone.firstInstant(showing: date.advanced(by: start < end ? 0 : 1), end))
            }
        case let (.sun(start, before), .sun(end, after)):
            let isSameDay = (start.order, before) < (end.order, after)
            bounds = solarDay(date).flatMap { sun, noon in
                let endNoon = isSameDay ? noon : sun.noon(nearest: noon.advanced(by: .seconds(86_400)))
                return (
                    sun.counted(start, around: noon).advanced(by: before),
                    sun.counted(end, around: endNoon).advanced(by: after)
                )
            }
        case let (.sun(event, offset), .time(time)):
            bounds = solarDay(date).map { sun, noon in
                let earliest = noon.advanced(by: event.usual - event.slackBefore + offset)
                return (sun.counted(event, around: noon).advanced(by: offset), first(time, after: earliest))
            }
        case let (.time(time), .sun(event, offset)):
            bounds = solarDay(date).map { sun, noon in
                let latest = noon.advanced(by: event.usual + event.slackAfter + offset)
                return (last(time, through: latest), sun.counted(event, around: noon).advanced(by: offset))
            }
        }
        guard let bounds, bounds.0 < bounds.1 else { return nil }
        return bounds.0..<bounds.1
    }

    private func first(_ time: TimeOfDay, after earliest: Timestamp) -> Timestamp {
        let date = date(at: earliest)
        return (-1...1).map { zone.firstInstant(showing: date.advanced(by: $0), time) }.first { $0 > earliest }
            ?? zone.firstInstant(showing: date.advanced(by: 2), time)
    }

    private func last(_ time: TimeOfDay, through latest: Timestamp) -> Timestamp {
        let date = date(at: latest)
        return (-1...1).map { zone.firstInstant(showing: date.advanced(by: $0), time) }.last { $0 <= latest }
            ?? zone.firstInstant(showing: date.advanced(by: -2), time)
    }
}

extension SunEvent {
    /// Its place in the day.
    fileprivate var order: Int {
        switch self {
        case .midnight: 0
        case .dawn: 1
        case .sunrise: 2
        case .noon: 3
        case .sunset: 4
        case .dusk: 5
        }
    }

    /// After the sun's noon, at the equinox.
    fileprivate var usual: Duration {
        switch self {
        case .midnight: .seconds(-12 * 3600)
        case .dawn, .sunrise: .seconds(-6 * 3600)
        case .noon: .zero
        case .sunset, .dusk: .seconds(6 * 3600)
        }
    }

    /// How long before ``usual`` the 24 hours begin in which a window ends that begins with this.
    fileprivate var slackBefore: Duration {
        switch self {
        case .dawn, .sunrise: .seconds(3 * 3600)
        case .midnight, .noon, .sunset, .dusk: .seconds(6 * 3600)
        }
    }

    /// How long after ``usual`` the 24 hours end in which a window begins that ends with this.
    fileprivate var slackAfter: Duration {
        switch self {
        case .sunset, .dusk: .seconds(3 * 3600)
        case .midnight, .noon, .dawn, .sunrise: .seconds(6 * 3600)
        }
    }
}

extension Sun {
    /// When the event is, or what counts as that on a day on which it does not happen.
    fileprivate func counted(_ event: SunEvent, around noon: Timestamp) -> Timestamp {
        switch course(of: event, around: noon) {
        case let .happens(time): time
        case .staysDown: noon
        case .staysUp: event.usual < .zero ? midnight(before: noon) : midnight(after: noon)
        }
    }
}
