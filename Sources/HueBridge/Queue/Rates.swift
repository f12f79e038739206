/// How much one bridge is asked to do. Bridges take about ten light commands and one group command a second from all
/// their clients together (home-assistant/core#62162, peter-murray/node-hue-api), and refuse a fourth concurrent
/// request (home-assistant-libs/aiohue).
struct Budget: Equatable, Sendable {
    var lightsPerSecond = 10
    /// A group command is a broadcast to the whole mesh.
    var groupsPerSecond = 1
    /// Concurrent requests of every kind.
    var inFlight = 3
    /// The length of a "second": slightly longer, because requests do not arrive as evenly spaced as they were sent.
    var second: Duration = .milliseconds(1050)
    /// How long a group command waits for a member that is still being written to, so that all its lights change
    /// together.
    var longestWait: Duration = .milliseconds(500)
    /// How long a read waits for writes until it gets its turn. Small enough that the audit of a bridge that is never
    /// left alone is done in time, and long enough that a burst of writes goes first.
    var longestReadWait: Duration = .seconds(1)
    /// The pause when a bridge is overloaded: doubled each time, up to the longest.
    var firstPause: Duration = .milliseconds(250)
    var longestPause: Duration = .seconds(4)
}

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

/// Slows down for an overloaded bridge: pauses that double, then half the rate, which recovers within seconds.
struct RateRecovery: Equatable, Sendable {
    private var budget: Budget
    private(set) var pausedUntil: Duration = .zero
    /// Whether the bridge's last answer was that it is overloaded.
    private(set) var isOverloaded = false
    private var attempt = 0
    /// The rate of light commands when the pause ends.
    private var low: Int

    init(_ budget: Budget) {
        self.budget = budget
        low = budget.lightsPerSecond
    }

    /// A rate that is lowered because of an overload stays so.
    mutating func apply(_ new: Budget) {
        if low >= budget.lightsPerSecond { low = new.lightsPerSecond }
        budget = new
    }

    /// Light commands a second.
    func rate(at now: Duration) -> Int {
        let seconds = Int(max(now - pausedUntil, .zero) / .seconds(1))
        return min(budget.lightsPerSecond, low + seconds * max(budget.lightsPerSecond / 8, 1))
    }

    /// The bridge was overloaded, or could not be reached.
    ///
    /// - Parameters:
    ///   - halvesRate: whether to continue at half the rate, because the bridge said that it is overloaded.
    ///   - chance: from 0 to 1; clients that were refused together must not come back together.
    mutating func pause(halvesRate: Bool, chance: Double, at now: Duration) {
        isOverloaded = halvesRate
        // What was in flight beside the first refusal is refused for the same reason.
        guard now >= pausedUntil else { return }
        if halvesRate { low = max(rate(at: now) / 2, 1) } else { low = rate(at: now) }
        let ceiling = min(budget.firstPause * (1 << min(attempt, 10)), budget.longestPause)
        attempt += 1
        pausedUntil = now + ceiling * (0.5 + 0.5 * min(max(chance, 0), 1))
    }

    /// The bridge answered what was sent at this time. An answer to what was sent before the pause says nothing about
    /// the time after it.
    mutating func answered(sent: Duration) {
        guard sent >= pausedUntil else { return }
        attempt = 0
        isOverloaded = false
    }

    /// The connection is back: earlier overload no longer counts.
    mutating func forgetPause(at now: Duration) {
        low = rate(at: now)
        attempt = 0
        isOverloaded = false
        pausedUntil = min(pausedUntil, now)
    }
}
