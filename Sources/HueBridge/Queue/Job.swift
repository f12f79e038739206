import HueWire

/// A request that is not a patch of lights: a rename, a scene's recall, a read. Its id is its token.
struct Job: Equatable, Sendable {
    enum Cost: Equatable, Sendable {
        case light, group
        /// A write without a rate limit.
        case other
        /// Goes when no write may go, or when it has waited for long enough.
        case read
    }

    let id: UInt64
    let cost: Cost
    /// The places of the queues of the lights that it touches, each once.
    let queues: [Int]
    let number: UInt64
    let asked: Duration
    var returns = 0
    var isInFlight = false
}
