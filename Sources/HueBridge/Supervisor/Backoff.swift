/// How long to wait before the next attempt to reach a bridge: a short pause at first, then longer ones. Chance cuts
/// each by up to a half, so that several clients do not come back in step.
struct Backoff: Equatable, Sendable {
    /// The longest pause: a bridge that is back is found, and its home read, within half a minute.
    static let longest = Duration.seconds(20)

    private(set) var attempt = 0

    /// - Parameter chance: from 0 to 1.
    mutating func next(chance: Double = .random(in: 0...1)) -> Duration {
        defer { attempt += 1 }
        let ceiling = min(.milliseconds(250) * (1 << min(attempt, 7)), Self.longest)
        return ceiling * (0.5 + chance / 2)
    }

    mutating func reset() { attempt = 0 }
}
