import Glibc

/// The present moment and the local zone, handed to what prints times, so that it stays a pure function.
struct WallClock: Sendable {
    let now: Moment
    /// Seconds east of Greenwich at a moment given in seconds since 1970.
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

    /// The moment of a date and time; one without a zone is local.
    func moment(of time: CivilTime) -> Moment {
        let plain = time.millisecondsAtGreenwich
        if let offset = time.offset { return Moment(milliseconds: plain - Int64(offset) * 1000) }
        // The zone depends on the moment and the moment on the zone: a second look settles it, but for the hour that a change
        // of clocks leaves out.
        let guess = plain / 1000 - Int64(zone(plain / 1000))
        return Moment(milliseconds: plain - Int64(zone(guess)) * 1000)
    }

    /// What a clock on the wall shows, or showed: "10:42:03".
    func time(_ moment: Moment) -> String { local(moment).clock }

    /// "10:42" for today, "2026-11-20 10:42" for other days; the text itself where it is no moment.
    func when(_ iso: String) -> String {
        guard let moment = Moment(iso: iso) else { return printable(iso) }
        let (then, today) = (local(moment), local(now))
        let clock = String(then.clock.dropLast(3))
        return then.date == today.date ? clock : "\(then.date) \(clock)"
    }

    /// As ``when(_:)``, to the second.
    func exactly(_ iso: String) -> String {
        guard let moment = Moment(iso: iso) else { return printable(iso) }
        let then = local(moment)
        return then.date == local(now).date ? then.clock : "\(then.date) \(then.clock)"
    }

    /// "2026-11-21 10:42:03"
    func full(_ iso: String) -> String {
        guard let moment = Moment(iso: iso) else { return printable(iso) }
        let time = local(moment)
        return "\(time.date) \(time.clock)"
    }

    private func local(_ moment: Moment) -> CivilTime {
        let seconds = moment.milliseconds / 1000
        return CivilTime(milliseconds: moment.milliseconds, offset: zone(seconds))
    }
}
