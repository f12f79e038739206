import HueWire

/// A request that is no patch: a rename, a scene's recall, a read. Its id is its token.
struct Job: Equatable, Sendable {
    enum Cost: Equatable, Sendable {
        case light, group
        /// A write without a budget of its own.
        case other
        /// Goes when no write can.
        case read
    }

    let id: UInt64
    let cost: Cost
    /// The places of the lanes it touches, each once.
    let queues: [Int]
    let number: UInt64
    let asked: Duration
    var returns = 0
    var isInFlight = false
}
