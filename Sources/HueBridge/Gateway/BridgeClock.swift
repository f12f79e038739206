import Executors

/// The time that a gateway runs on: steady, whatever happens to the wall clock. Tests hand in one that they wind
/// themselves.
struct BridgeClock: Sendable {
    /// The time since some fixed moment.
    var now: @Sendable () -> Duration
    /// Returns at that time; throws if the task is cancelled before.
    var sleepUntil: @Sendable (Duration) async throws -> Void

    static let system: BridgeClock = {
        let start = ContinuousClock.now
        return BridgeClock(
            now: { .now - start }, sleepUntil: { try await QueueTimer.sleep(for: start + $0 - .now) })
    }()

    func sleep(_ duration: Duration) async throws { try await sleepUntil(now() + duration) }

    /// Returns early if the task is cancelled: for loops that check that themselves.
    func rest(_ duration: Duration) async { await rest(until: now() + duration) }
    func rest(until time: Duration) async { try? await sleepUntil(time) }
}
