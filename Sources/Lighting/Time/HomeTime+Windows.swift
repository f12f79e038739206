public import Khipu

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
