/// The time that a gateway runs on: steady, whatever happens to the wall clock. Tests hand in one that they wind themselves.
struct BridgeClock: Sendable {
    /// The time since some fixed moment.
    var now: @Sendable () -> Duration
    /// Returns when the duration is over; throws if the task is cancelled before.
    var sleep: @Sendable (Duration) async throws -> Void

    static let system: BridgeClock = {
        let start = ContinuousClock.now
        return BridgeClock(now: { .now - start }, sleep: { try await Task.sleep(for: $0) })
    }()

    /// Returns early if the task is cancelled: for loops that check that themselves.
    func rest(_ duration: Duration) async { try? await sleep(duration) }
}
