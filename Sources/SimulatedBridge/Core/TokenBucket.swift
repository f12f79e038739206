/// A limit of so many a second, as a value: a bucket that fills with time. The time is handed in.
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

    /// - Returns: whether one more is let through now.
    mutating func take(at now: Duration) -> Bool {
        filled = min(burst, filled + (now - last) / .seconds(1) * perSecond)
        last = now
        guard filled >= 1 else { return false }
        filled -= 1
        return true
    }

    /// The same where the limit itself may have changed: a new one begins full.
    mutating func take(at now: Duration, perSecond: Int, burst: Int?) -> Bool {
        if Double(perSecond) != self.perSecond || Double(burst ?? perSecond) != self.burst {
            self = Self(perSecond: perSecond, burst: burst)
        }
        return take(at: now)
    }
}
