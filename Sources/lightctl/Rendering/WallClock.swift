import Glibc

/// The current time and the local time zone, passed to the functions that print times so that they stay pure.
struct WallClock: Sendable {
    let now: Moment
    /// Seconds east of UTC at a moment given in seconds since 1970.
    let zone: @Sendable (Int64) -> Int

    static func local() -> WallClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallClock(now: Moment(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)) {
            var seconds = time_t($0)
            var parts = tm()
            localtime_r(&seconds, &parts)
            return parts.tm_gmtoff
        }
    }

    /// The moment of a date and time, which is local if it has no zone.
    func moment(of time: CivilTime) -> Moment {
        let plain = time.millisecondsAsUTC
        if let offset = time.offset { return Moment(milliseconds: plain - Int64(offset) * 1000) }
        // The zone depends on the moment and the moment on the zone. A second step settles it, except in the hour that
        // is skipped when clocks change.
        let guess = plain / 1000 - Int64(zone(plain / 1000))
        return Moment(milliseconds: plain - Int64(zone(guess)) * 1000)
    }

    /// The date here.
    var today: CivilTime { local(now) }

    /// The local time of day: "10:42:03".
    func time(_ moment: Moment) -> String { local(moment).clock }

    /// "10:42" for today, "2026-11-20 10:42" for other days. Text that is not a moment is returned as it is.
    func when(_ iso: String) -> String {
        guard let moment = Moment(iso: iso) else { return printable(iso) }
        let (then, today) = (local(moment, as: iso), local(now, as: iso))
        let clock = String(then.clock.dropLast(3))
        return (then.date == today.date ? clock : "\(then.date) \(clock)") + label(of: moment, as: iso)
    }

    /// Like ``when(_:)``, with seconds.
    func exactly(_ iso: String) -> String {
        guard let moment = Moment(iso: iso) else { return printable(iso) }
        let then = local(moment, as: iso)
        return (then.date == local(now, as: iso).date ? then.clock : "\(then.date) \(then.clock)")
            + label(of: moment, as: iso)
    }

    /// "2026-11-21 10:42:03"
    func full(_ iso: String) -> String {
        guard let moment = Moment(iso: iso) else { return printable(iso) }
        let time = local(moment, as: iso)
        return "\(time.date) \(time.clock)"
    }

    /// " +01:00" behind a time of the home's clocks, if those of this machine show another one.
    private func label(of moment: Moment, as iso: String) -> String {
        let home = local(moment, as: iso).offset ?? 0
        guard home != local(moment).offset else { return "" }
        let minutes = abs(home) / 60
        return " \(home < 0 ? "-" : "+")\(padded(minutes / 60, 2)):\(padded(minutes % 60, 2))"
    }

    /// As the clocks show it for which a text was written: lightd writes the times of the home with the home's offset
    /// from UTC, and all others in UTC, to be shown in the time zone of this machine.
    private func local(_ moment: Moment, as iso: String) -> CivilTime {
        guard iso.last?.isNumber == true, let offset = CivilTime(iso)?.offset else { return local(moment) }
        return CivilTime(milliseconds: moment.milliseconds, offset: offset)
    }

    private func local(_ moment: Moment) -> CivilTime {
        let seconds = moment.milliseconds / 1000
        return CivilTime(milliseconds: moment.milliseconds, offset: zone(seconds))
    }
}

/// A point in time, written in the control API as ISO 8601 in UTC.
struct Moment: Equatable, Comparable, Sendable {
    /// Since 1 January 1970, 00:00 UTC.
    let milliseconds: Int64

    init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// `nil` if the text is not a moment or has no time zone.
    init?(iso text: String) {
        guard let time = CivilTime(text), let offset = time.offset else { return nil }
        milliseconds = time.millisecondsAsUTC - Int64(offset) * 1000
    }

    var iso: String {
        let time = CivilTime(milliseconds: milliseconds, offset: 0)
        return "\(time.date)T\(time.clock)\(time.millisecond == 0 ? "" : "." + padded(time.millisecond, 3))Z"
    }

    static func < (one: Self, other: Self) -> Bool { one.milliseconds < other.milliseconds }
}

extension CivilTime {
    /// "2026-11-21"
    var date: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }
    /// "10:42:03"
    var clock: String { "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))" }
}

func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
