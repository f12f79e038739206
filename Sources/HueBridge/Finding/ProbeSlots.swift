/// Lets a few probes run at once. The others wait for their turn, in order: an address that somebody announces costs a
/// connection or two, and anybody may announce any number.
actor ProbeSlots {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter count: how many may run at once, at least 1.
    init(_ count: Int) { free = count }

    func run<Result: Sendable>(_ probe: @Sendable () async -> Result) async -> Result {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
        defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
        return await probe()
    }
}
