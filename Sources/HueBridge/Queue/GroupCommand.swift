/// One group command that could carry what several lights wait for: they would fold into it.
struct GroupCommand: Sendable {
    let lightGroup: Int
    let queues: [Int]
    let attributes: PendingState.Attributes
    let patch: Patch
    /// The place in the queue of its oldest value.
    let first: UInt64
    /// Lights that must get their values before it, because it turns them off.
    let before: [Int]
    /// How many lights need another command after it.
    let rest: Int
    /// When the members that are being written to count as answered.
    let clear: Duration
    /// Whether a job goes before it.
    let isBehind: Bool
    /// When it may go; set once the candidates are compared.
    var due: Duration = .zero

    /// How many single commands it saves. What goes before it is sent either way.
    var saving: Int { queues.count - 1 - rest }

    /// A group command is a broadcast to the whole mesh: if single commands remain after it, it must save at least two.
    var isWorthwhile: Bool { saving >= (rest == 0 ? 1 : 2) }

    func isReady(at now: Duration) -> Bool { before.isEmpty && !isBehind && clear <= now && due <= now }
}
