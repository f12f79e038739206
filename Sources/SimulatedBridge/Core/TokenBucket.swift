/// A rate limit: a bucket that fills with time. A value; the time is a parameter.
struct TokenBucket: Sendable {
    private(set) var perSecond: Double
    /// How many may come at once after a pause.
    private(set) var burst: Double
    private var filled: Double
    private var last: Duration = .zero

    init(perSecond: Int, burst: Int? = nil) {
        self.perSecond = Double(perSecond)
        self.burst = Double(burst ?? perSecond)
        filled = self.burst
    }

    /// - Returns: whether one more may pass now.
    mutating func take(at now: Duration) -> Bool {
        filled = min(burst, filled + (now - last) / .seconds(1) * perSecond)
        last = now
        guard filled >= 1 else { return false }
        filled -= 1
        return true
    }

    /// The same with limits that may have changed: a new limit begins with a full bucket.
    mutating func take(at now: Duration, perSecond: Int, burst: Int?) -> Bool {
        if Double(perSecond) != self.perSecond || Double(burst ?? perSecond) != self.burst {
            self = Self(perSecond: perSecond, burst: burst)
        }
        return take(at: now)
    }
}
