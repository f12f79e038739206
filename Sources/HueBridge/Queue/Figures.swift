/// How a plan stands.
struct Figures: Equatable, Sendable {
    /// Lamps that wait to be written to.
    var lights = 0
    /// Other requests that wait.
    var jobs = 0
    var inFlight = 0
    /// Writes to lamps that were never sent, because a newer one came first.
    var coalesced = 0
    /// Writes to lamps that were spared, because one command to a group carried them.
    var folded = 0
    /// `nil` while the bridge is not overloaded.
    var pausedUntil: Duration?
}

extension CommandScheduler {
    func figures(at now: Duration) -> Figures {
        Figures(
            lights: waiting.count { queues[$0].hasPending },
            jobs: jobs.values.count { !$0.isInFlight },
            inFlight: inFlightRequests.count,
            coalesced: coalesced,
            folded: folded,
            pausedUntil: recovery.pausedUntil > now ? recovery.pausedUntil : nil)
    }
}
