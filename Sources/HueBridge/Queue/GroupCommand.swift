/// One group command that could carry what several lamps wait for.
struct GroupCommand: Sendable {
    let lightGroup: Int
    let queues: [Int]
    let attributes: PendingState.Attributes
    let patch: Patch
    /// The place in the queue of its oldest wish.
    let first: UInt64
    /// Lamps that must be sent values before it, because it turns them off.
    let before: [Int]
    /// How many lamps need something else after it.
    let rest: Int
    /// When the lamps that are being written to will have answered.
    let clear: Duration
    /// Whether an errand goes before it.
    let isBehind: Bool
    /// When it may go; known once folds are weighed against each other.
    var due: Duration = .zero

    /// Commands spared by it. What goes before it is sent either way.
    var saving: Int { queues.count - 1 - rest }

    /// A fold that leaves something to be sent must spare two commands to be worth its broadcast.
    var isWorthwhile: Bool { saving >= (rest == 0 ? 1 : 2) }

    func isReady(at now: Duration) -> Bool { before.isEmpty && !isBehind && clear <= now && due <= now }
}
