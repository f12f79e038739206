public import Khipu

extension Timestamp {
    /// No clock that is right shows an earlier time, because lightd was made later. A machine without a clock of its own
    /// starts in 1970, or when its system was built.
    public static let earliestPlausible = Self(milliseconds: 1_767_225_600_000)

    /// Whether a clock that shows this can be right. One that cannot tells how much time passes, but not the hour.
    public var isPlausible: Bool { self >= .earliestPlausible }

    /// Whether the time that has passed since this is known: not if a clock that could not be right showed it, and now one
    /// that can.
    func isComparable(with now: Self) -> Bool { isPlausible || !now.isPlausible }

    /// Not later than this; just this if it was timed by a clock that could not be right, and now one can.
    func held(to latest: Self, at now: Self) -> Self { isComparable(with: now) ? min(self, latest) : latest }
}

extension Failure {
    /// What goes by the hour cannot be promised by a clock that shows this.
    static func wrongClock(_ now: Timestamp) -> Self { .impossible("\(now.wrongClockWords); it has to be set first") }
}

extension Timestamp {
    /// "the clock of this machine shows 1970-01-01, which cannot be right"
    public var wrongClockWords: String {
        "the clock of this machine shows \(HomeTime.utc.date(at: self)), which cannot be right"
    }
}
