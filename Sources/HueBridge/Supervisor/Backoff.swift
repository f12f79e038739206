/// How long to wait before the next attempt to reach a bridge: shortly at first, then longer, up to half a minute, each time a little
/// by chance, so that several clients do not come back in step.
struct Backoff: Sendable {
    private(set) var attempt = 0

    mutating func next() -> Duration {
        defer { attempt += 1 }
        let ceiling = min(0.25 * Double(1 << min(attempt, 7)), 30)
        return .milliseconds(Int64(Double.random(in: 0.5...1) * ceiling * 1000))
    }

    mutating func reset() { attempt = 0 }
}
