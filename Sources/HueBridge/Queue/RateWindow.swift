/// Limits a rate over any second. At a rate of ten, the eleventh request never begins within a second of the first.
struct RateWindow: Equatable, Sendable {
    let span: Duration
    private var times: [Duration] = []

    init(span: Duration) { self.span = span }

    var count: Int { times.count }

    mutating func note(at now: Duration) {
        times.removeAll { $0 + span <= now }
        times.append(now)
    }

    /// When a request may go, if those before it go as soon as they may.
    ///
    /// - Parameter place: its place among those still to come, from 1.
    func opening(_ place: Int = 1, rate: Int, at now: Duration) -> Duration {
        let recent = times.drop { $0 + span <= now }
        let rounds = (place - 1) / rate
        // The request that must be a second old before this one goes.
        let before = recent.count + (place - 1) % rate + 1 - rate
        let start = before > 0 ? recent[recent.startIndex + before - 1] + span : now
        return start + span * rounds
    }
}
