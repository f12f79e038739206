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
    ///   - gently: whether to continue at half the rate, because the bridge said that it is overloaded.
    ///   - chance: from 0 to 1; clients that were refused together must not come back together.
    mutating func pause(gently: Bool, chance: Double, at now: Duration) {
        isOverloaded = gently
        // What was in flight beside the first refusal is refused for the same reason.
        guard now >= pausedUntil else { return }
        if gently { low = max(rate(at: now) / 2, 1) } else { low = rate(at: now) }
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
