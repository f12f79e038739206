/// The active faults: which of them a request or a frame triggers, how often, and until when. A value; the time is a
/// parameter and randomness is seeded, so two runs with the same requests behave the same.
struct FaultRegistry: Sendable {
    struct ActiveFault: Sendable {
        let fault: Fault
        /// In the bridge's time.
        let since: Duration
        /// How many times it has struck.
        var struck = 0
        /// How many requests or frames were in its scope.
        var covered = 0

        var left: Int? { fault.scope.count.map { $0 - struck } }
        var end: Duration? { fault.scope.duration.map { since + $0 } }
        func isOver(at now: Duration) -> Bool { left.map { $0 <= 0 } ?? false || end.map { $0 <= now } ?? false }
    }

    private var activeFaults: [ActiveFault] = []
    private(set) var random: SeededRandom
    /// Whether no active fault concerns single requests or frames.
    private(set) var isIdle = true

    var isEmpty: Bool { activeFaults.isEmpty }

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    // MARK: - Beginning and ending

    /// Begins a fault. It replaces one of the same kind, path and method.
    mutating func begin(_ fault: Fault, at now: Duration) {
        var fault = fault
        switch fault.kind {
        // Over as soon as they have happened.
        case .move, .blackHole, .halfOpen: return
        // The bridge is off for this time, then slow for the same time.
        case .reboot: fault.scope.duration = .seconds(2 * max(fault.number, 0))
        default: break
        }
        activeFaults.removeAll {
            $0.fault.kind == fault.kind && $0.fault.scope.path == fault.scope.path
                && $0.fault.scope.method == fault.scope.method
        }
        activeFaults.append(ActiveFault(fault: fault, since: now))
        removeExpired(at: now)
    }

    /// Ends the faults of this kind, or all.
    ///
    /// - Returns: those that were active.
    @discardableResult
    mutating func end(_ kind: FaultKind? = nil, at now: Duration) -> [Fault] {
        removeExpired(at: now)
        let ended = activeFaults.filter { kind == nil || $0.fault.kind == kind }
        activeFaults.removeAll { kind == nil || $0.fault.kind == kind }
        removeExpired(at: now)
        return ended.map(\.fault)
    }

    /// Removes the faults that have ended by their count or their duration.
    mutating func removeExpired(at now: Duration) {
        activeFaults.removeAll { $0.isOver(at: now) }
        isIdle = activeFaults.allSatisfy { $0.fault.kind.target == .bridge }
    }

    /// Oldest first.
    func active(at now: Duration) -> [ActiveFault] { activeFaults.filter { !$0.isOver(at: now) } }

    /// When the next fault of these kinds ends by itself.
    func nextEnd(of kinds: Set<FaultKind>, after now: Duration) -> Duration? {
        activeFaults.filter { kinds.contains($0.fault.kind) && !$0.isOver(at: now) }.compactMap(\.end).min()
    }

    // MARK: - Striking

    /// The active fault of this kind, for faults that affect the bridge as a whole.
    func lasting(_ kind: FaultKind, at now: Duration) -> ActiveFault? {
        activeFaults.isEmpty ? nil : activeFaults.first { $0.fault.kind == kind && !$0.isOver(at: now) }
    }

    /// The first fault of these kinds that is triggered, and counts that.
    mutating func trigger(
        _ kinds: Set<FaultKind>, _ trigger: FaultTrigger, at now: Duration,
        where applies: (ActiveFault) -> Bool = { _ in true }
    ) -> Fault? {
        guard !isIdle else { return nil }
        for index in activeFaults.indices where kinds.contains(activeFaults[index].fault.kind) {
            guard applies(activeFaults[index]), hits(index, trigger, now) else { continue }
            let fault = activeFaults[index].fault
            struck(index, now)
            return fault
        }
        return nil
    }

    mutating func trigger(_ kind: FaultKind, _ trigger: FaultTrigger, at now: Duration) -> Fault? {
        self.trigger([kind], trigger, at: now)
    }

    /// Whether the fault of this kind concerns a request or frame. ``countStrike(_:at:)`` counts it once it has had its
    /// effect.
    mutating func concerns(_ kind: FaultKind, _ trigger: FaultTrigger, at now: Duration) -> Bool {
        guard !isIdle, let index = activeFaults.firstIndex(where: { $0.fault.kind == kind }) else { return false }
        return hits(index, trigger, now)
    }

    mutating func countStrike(_ kind: FaultKind, at now: Duration) {
        if let index = activeFaults.firstIndex(where: { $0.fault.kind == kind }) { struck(index, now) }
    }

    /// Applies all faults of these kinds that are triggered, one after the other. Only a fault that changes the value counts
    /// as triggered.
    mutating func applying<Value: Equatable>(
        _ kinds: Set<FaultKind>, to value: Value, _ trigger: FaultTrigger, at now: Duration,
        by apply: (Fault, Value) -> Value
    ) -> Value {
        guard !isIdle else { return value }
        var value = value
        for index in activeFaults.indices where kinds.contains(activeFaults[index].fault.kind) {
            guard hits(index, trigger, now) else { continue }
            let altered = apply(activeFaults[index].fault, value)
            guard altered != value else { continue }
            value = altered
            activeFaults[index].struck += 1
        }
        removeExpired(at: now)
        return value
    }

    /// Whether a fault applies to this request or frame; counts those in its scope.
    private mutating func hits(_ index: Int, _ trigger: FaultTrigger, _ now: Duration) -> Bool {
        let activeFault = activeFaults[index]
        guard !activeFault.isOver(at: now), activeFault.fault.scope.covers(trigger) else { return false }
        activeFaults[index].covered += 1
        guard activeFaults[index].covered.isMultiple(of: activeFault.fault.scope.every ?? 1) else { return false }
        guard let probability = activeFault.fault.scope.probability else { return true }
        return Double.random(in: 0..<1, using: &random) < probability
    }

    private mutating func struck(_ index: Int, _ now: Duration) {
        activeFaults[index].struck += 1
        removeExpired(at: now)
    }

    /// A random time up to the longest.
    mutating func randomTime(upTo longest: Duration) -> Duration {
        longest * Double.random(in: 0...1, using: &random)
    }

    /// Picks this many elements at random, and keeps their order.
    mutating func pick<Element>(_ count: Int, of elements: [Element]) -> [Element] {
        let picked = Array(elements.indices).shuffled(using: &random).prefix(count).sorted()
        return picked.map { elements[$0] }
    }
}

/// What may trigger a fault: a request, or a frame of the event stream, which counts as a GET of the stream's path.
struct FaultTrigger: Sendable {
    let method: String
    let path: String

    init(method: String, path: String) {
        self.method = method
        self.path = path
    }

    init(_ request: BridgeRequest) {
        self.init(method: request.method, path: "/" + request.path.joined(separator: "/"))
    }

    static let frame = Self(method: "GET", path: "/eventstream/clip/v2")
}

extension Fault.Scope {
    func covers(_ trigger: FaultTrigger) -> Bool {
        if let method, method.uppercased() != trigger.method { return false }
        if let path, !trigger.path.hasPrefix(path) { return false }
        return true
    }
}

/// Random numbers that are the same for the same seed (SplitMix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom
/// Number Generators", 2014).
struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
