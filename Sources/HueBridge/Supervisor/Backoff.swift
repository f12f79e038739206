/// How long to wait before the next attempt to reach a bridge: a short pause at first, then longer ones, up to half a
/// minute. Chance cuts each by up to a half, so that several clients do not come back in step.
struct Backoff: Equatable, Sendable {
    private(set) var attempt = 0

    /// - Parameter chance: from 0 to 1.
    mutating func next(chance: Double = .random(in: 0...1)) -> Duration {
        defer { attempt += 1 }
        let ceiling = min(0.25 * Double(1 << min(attempt, 7)), 30)
        return .milliseconds(Int64((0.5 + chance / 2) * ceiling * 1000))
    }

    mutating func reset() { attempt = 0 }
}
