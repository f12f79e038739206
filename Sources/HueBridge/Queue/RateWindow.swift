/// Limits a rate over any second. At a rate of ten, the eleventh request never begins within a second of the first; nor
/// does it arrive within one, if what is known of the first's arrival is told by ``answered(sent:at:)``.
struct RateWindow: Equatable, Sendable {
    let span: Duration
    /// How much later than it was sent a request may arrive without that it counts: what the span is longer than a
    /// second.
    private let slack: Duration
    private var times: [Duration] = []

    init(span: Duration) {
        self.span = span
        slack = max(span - .seconds(1), .zero)
    }

    var count: Int { times.count }

    mutating func note(at now: Duration) {
        times.removeAll { $0 + span <= now }
        times.append(now)
    }

    /// A request that was sent at this time was answered now, or given up: it arrived in between. One that was on its way
    /// for long counts from when it may have arrived, because those after it may be faster.
    mutating func answered(sent: Duration, at now: Duration) {
        guard let place = times.firstIndex(of: sent), now - slack > sent else { return }
        times.remove(at: place)
        let arrived = now - slack
        times.insert(arrived, at: times.firstIndex { $0 > arrived } ?? times.endIndex)
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
