public import Khipu

extension Timestamp {
    /// No clock that is right shows an earlier time, because lightd was made later. A machine without a clock of its own
    /// starts in 1970, or when its system was built.
    public static let earliestPlausible = Self(milliseconds: 1_767_225_600_000)

    /// Whether a clock that shows this can be right. One that cannot tells how much time passes, but not the hour.
    public var isPlausible: Bool { self >= .earliestPlausible }
}
